/// The hashes of all scenes, in light and in dark style. The pictures of scenes that have changed
/// are written to `.build/pictures`. If all of them are right, store the new hashes with
/// `RENEW_PICTURES=1 swift test --filter PictureTests`.
let goldens = """
  4a5bf65e8a1f3e29 pen ramp, light
  43dabedc5e8e3e81 pen ramp, dark
  4b2d0c0cd5764d91 pen curve, light
  62a5a29111f37b61 pen curve, dark
  88cdb17ba066a20d pen loop, light
  4b39b9c8107be455 pen loop, dark
  dd03310e30cb375f pen overlaps, light
  1b91d2a78b012203 pen overlaps, dark
  a9063b98c5659798 pen taps, light
  605e209e805bbe28 pen taps, dark
  f0eabe33a187ee3c pen zigzag, light
  86b61ff3d944e064 pen zigzag, dark
  d96749bfbc289562 monoline ramp, light
  0f45fce02037da80 monoline ramp, dark
  f72455977a5dce91 monoline curve, light
  5cddf09783de011b monoline curve, dark
  3da575206f708eaa monoline loop, light
  09e0cb5f57703ac6 monoline loop, dark
  1d9bb06a08be5cdb monoline overlaps, light
  583f51650af5d13a monoline overlaps, dark
  47e01558ed9d1368 monoline taps, light
  533eafed9133e430 monoline taps, dark
  08497eba30199207 monoline zigzag, light
  db287524c796f916 monoline zigzag, dark
  688d83e7086c2e3f fountainPen ramp, light
  90b4ab0e252bddc9 fountainPen ramp, dark
  708789dde8d336c9 fountainPen curve, light
  407d051323994c36 fountainPen curve, dark
  848da9bdaef7d0be fountainPen loop, light
  e7cd620561973674 fountainPen loop, dark
  09ddb636bc9cb1fe fountainPen overlaps, light
  87ae2e76ca1f4656 fountainPen overlaps, dark
  9c1baabb36564b76 fountainPen taps, light
  4d27a04e7e838092 fountainPen taps, dark
  92995a8ef5c92533 fountainPen zigzag, light
  50f23456c6c80880 fountainPen zigzag, dark
  6c3631b14cb1ca7f reed ramp, light
  2058f0ece94f411f reed ramp, dark
  f225896a106a370b reed curve, light
  a156c0029e6355b7 reed curve, dark
  f0d8fc36244e9c8b reed loop, light
  12f8bd1e3cd65e6c reed loop, dark
  330b68f816018fe4 reed overlaps, light
  9b64a8adbaa7a102 reed overlaps, dark
  c5443c5ee3c2cab6 reed taps, light
  65fb84d5a21e0ab3 reed taps, dark
  f005b7d47718ae39 reed zigzag, light
  611632c6deff7879 reed zigzag, dark
  0aec0f53914f1030 marker ramp, light
  e32f8069b1142a89 marker ramp, dark
  5ef19f8f2735ec2f marker curve, light
  5d642748dd5a0cff marker curve, dark
  0e2a08f4c6cd7ade marker loop, light
  3d1ac7a03d9d3cae marker loop, dark
  bc5dbdad4e9f95e3 marker overlaps, light
  dc6481b6269eeba3 marker overlaps, dark
  3196f403900e503e marker taps, light
  9f79b7fcf375b0a9 marker taps, dark
  f9ac33bbd5b50d72 marker zigzag, light
  692846c9ad45a0dd marker zigzag, dark
  ec74488d25864799 pencil ramp, light
  a360a7359ce404a3 pencil ramp, dark
  9310c131944b372c pencil curve, light
  94a559a2dafd84e6 pencil curve, dark
  5a8c4c92aa3301e8 pencil loop, light
  2601f792989a74bb pencil loop, dark
  7690430fdee8110d pencil overlaps, light
  1d894df1d371ca64 pencil overlaps, dark
  8cf8e88e35a90f41 pencil taps, light
  e16ae90557d8fa64 pencil taps, dark
  4dc8629cd51b706e pencil zigzag, light
  b64be649b9459755 pencil zigzag, dark
  4df060e49874b677 crayon ramp, light
  f34f51ca5e37f8ca crayon ramp, dark
  542cf8609fe29843 crayon curve, light
  85f0a7ca2338dc1a crayon curve, dark
  f15bbc42b2a2cd07 crayon loop, light
  06a0d2d1c5232128 crayon loop, dark
  c442f2a6532d532b crayon overlaps, light
  5f6fc4c88e1dcfa4 crayon overlaps, dark
  9028c3519e77b079 crayon taps, light
  c608ade06ada5ed4 crayon taps, dark
  be424f851515a46a crayon zigzag, light
  73686181f47cf675 crayon zigzag, dark
  562d55670f31370b watercolor ramp, light
  0f21a84e7394d21c watercolor ramp, dark
  3dd103581a5fa820 watercolor curve, light
  ff3d062ce7e24ee2 watercolor curve, dark
  76995a58ae45d3dc watercolor loop, light
  e7957659a09f6171 watercolor loop, dark
  2c4820b58a577c2b watercolor overlaps, light
  a42779a10704b754 watercolor overlaps, dark
  1ac90420d4ddef5b watercolor taps, light
  5188b700f4986cb3 watercolor taps, dark
  70c94b816568a212 watercolor zigzag, light
  964a103526718edc watercolor zigzag, dark
  c1ea284c48e50f4e pen masked nonZero, light
  6be5ad49274e291e pen masked nonZero, dark
  c9ce04eeca9062f5 pen masked evenOdd, light
  d3ba693568446095 pen masked evenOdd, dark
  ade9e6d2fc4231b3 fountainPen masked nonZero, light
  9aab187048b6c0c1 fountainPen masked nonZero, dark
  3adb24644f15b61d fountainPen masked evenOdd, light
  1b23eb82e3fa98a1 fountainPen masked evenOdd, dark
  5d6ccff02bcbc9d4 pencil masked nonZero, light
  0bf1c988b1e333a5 pencil masked nonZero, dark
  dba4f69531ca3c77 pencil masked evenOdd, light
  7258b7d082ff42bf pencil masked evenOdd, dark
  b504ff5ac7f360b6 watercolor masked nonZero, light
  914c86e40fb55965 watercolor masked nonZero, dark
  30fc0dacabc188ff watercolor masked evenOdd, light
  ebf33a4c69aac53b watercolor masked evenOdd, dark
  d81cc089c5ac6cf6 pen parts, light
  5d39779bf3ac9dce pen parts, dark
  27216c2e925e2fbd monoline parts, light
  afc68661741b2010 monoline parts, dark
  87c45150acbca7ef fountainPen parts, light
  a33be9a9dc918995 fountainPen parts, dark
  1ded80fecab777df reed parts, light
  6353f48ee7ebfc58 reed parts, dark
  ab7107cb7ec2ead1 marker parts, light
  7c0f86f363fecd64 marker parts, dark
  7a2a9cfdd3931764 pencil parts, light
  116bfb6d4e57d44d pencil parts, dark
  7836369ae8942626 crayon parts, light
  8a76dd818479f4da crayon parts, dark
  6c6f700f6baea585 watercolor parts, light
  811fe5741e4fda7b watercolor parts, dark
  055b7f4e1a3fc715 pen turned, light
  62f24f3499bfb005 pen turned, dark
  6d9278969b5d8768 pen enlarged, light
  8c5a8a2a44b3a5b0 pen enlarged, dark
  4a23be8222534139 pen mirrored, light
  690543c455c1a4b1 pen mirrored, dark
  9cea5316219eb214 pen skewed, light
  f7b0a9e7da49d1a4 pen skewed, dark
  e1f07c5fb5c33850 monoline turned, light
  637a386c22dedf02 monoline turned, dark
  7400a1404c25265b monoline enlarged, light
  699bb5f6fed9a9b5 monoline enlarged, dark
  8edd697859f39c45 monoline mirrored, light
  a48e471787296ec3 monoline mirrored, dark
  4089f841ca20b47b monoline skewed, light
  cc9fb6b088ef94bb monoline skewed, dark
  ec8a5a0126453353 fountainPen turned, light
  874c3c91052c9b1a fountainPen turned, dark
  a3aa7c12fd98040e fountainPen enlarged, light
  79c36bd215231fc0 fountainPen enlarged, dark
  3a3f20433842ec65 fountainPen mirrored, light
  fffa8f1d79d01646 fountainPen mirrored, dark
  b6b5098a0092c52c fountainPen skewed, light
  aa2059fd4ed0fb4c fountainPen skewed, dark
  a66dddd63c96142e reed turned, light
  1eb6b0dc826055d0 reed turned, dark
  2b64d8816498e21a reed enlarged, light
  a6ec1e5bc658bbbd reed enlarged, dark
  95b9cb1a592b1f14 reed mirrored, light
  264e304e997b1c4e reed mirrored, dark
  6de70881f3152755 reed skewed, light
  ad8bdfdc8cbadc4c reed skewed, dark
  5057e471dc97c706 marker turned, light
  76ff11801e1b314d marker turned, dark
  defc2fb9874f2761 marker enlarged, light
  0e1389826a148279 marker enlarged, dark
  36d3cec8bf64cc3b marker mirrored, light
  521ae38de05353ef marker mirrored, dark
  0c8250de07f08348 marker skewed, light
  9b4a2625d79974e7 marker skewed, dark
  9318fdd5a13833e8 pencil turned, light
  f9daf441af672d2b pencil turned, dark
  5e3ede6a0001f1c0 pencil enlarged, light
  8df576dd9d188d47 pencil enlarged, dark
  7d9b71c2396a542f pencil mirrored, light
  3a0ab253671cc4b2 pencil mirrored, dark
  cd803a8feea38bc3 pencil skewed, light
  ecdbcc2fb369db31 pencil skewed, dark
  7fb6525807e2ea64 crayon turned, light
  813417e513b10928 crayon turned, dark
  c65f9dc7c6d64ba0 crayon enlarged, light
  16919d619b3c6216 crayon enlarged, dark
  6732e6c189330b49 crayon mirrored, light
  97ffa90888dc3620 crayon mirrored, dark
  5b3ecf98b10a27f3 crayon skewed, light
  90da749e74ccb2f0 crayon skewed, dark
  dd711089fb5e4943 watercolor turned, light
  f5b5cb99088226cc watercolor turned, dark
  07992457cbed2f89 watercolor enlarged, light
  9339894d1b31727e watercolor enlarged, dark
  2448c1ad00db0c2e watercolor mirrored, light
  97bd7e83b51397d9 watercolor mirrored, dark
  e1be4c5fd2ad414a watercolor skewed, light
  05b06fcbad82203d watercolor skewed, dark
  642dfa6b07ac7010 pen wet, light
  d774ed1de3651688 pen wet, dark
  c230799818e9d0d5 monoline wet, light
  344c1305dfabef10 monoline wet, dark
  3e48d5b3736a52b2 fountainPen wet, light
  422e786789ae45ef fountainPen wet, dark
  ec2650a6e81617d7 reed wet, light
  1008926a790389da reed wet, dark
  f474d675e4dfd58b marker wet, light
  7b91c2e19c82204a marker wet, dark
  accc479cf66cd6d2 pencil wet, light
  a412f89c5908bdaf pencil wet, dark
  91fc94c66b6a3960 crayon wet, light
  a36007eeae2b4717 crayon wet, dark
  2d49680c91eec440 watercolor wet, light
  3728f61f76434b0f watercolor wet, dark
  4872116fd370ee59 pen opacities, light
  970f4a0bd0d69f69 pen opacities, dark
  a3ebcfa5ac8ef503 monoline opacities, light
  814624e175f9d185 monoline opacities, dark
  639d7a51ffb7d480 fountainPen opacities, light
  859302d79b30b56d fountainPen opacities, dark
  cca0443c70171aac reed opacities, light
  a1be8a090482727a reed opacities, dark
  854ee0dc46c4c1b5 marker opacities, light
  ef243410d66fdf50 marker opacities, dark
  c889e4db430ad452 pencil opacities, light
  8be4b9401e821460 pencil opacities, dark
  b1e05bafc3113034 crayon opacities, light
  1a67e58b7b60dc10 crayon opacities, dark
  9be39b661ef7756b watercolor opacities, light
  c3abb1997f33ccda watercolor opacities, dark
  ba468fef67d16709 pen threshold, light
  6f885f439efa5d11 pen threshold, dark
  b9cd6de76b0079e1 pencil threshold, light
  3304c9966db465f3 pencil threshold, dark
  f225896a106a370b reed threshold, light
  a156c0029e6355b7 reed threshold, dark
  0c43745f76210321 marker threshold, light
  a222ca9e819ba52c marker threshold, dark
  11bdaf5b9f3125b1 pen discard, light
  d82a8ae05db7cde6 pen discard, dark
  32b3ba549a33e2e5 fountainPen discard, light
  5d498ba766d8165b fountainPen discard, dark
  164aff145888a874 pencil discard, light
  c407c554ebc7f14a pencil discard, dark
  fb9d4b93bc9d1e9f marker discard, light
  65759b824e32789b marker discard, dark
  ca9759bd572fac9a watercolor discard, light
  c7407964ef8c978a watercolor discard, dark
  acaee5c3c6dbffb8 pen accumulate, light
  6c3497688858cb8d pen accumulate, dark
  c15c4b8abbaf4db0 fountainPen accumulate, light
  ef7080dc1a4deb2d fountainPen accumulate, dark
  5b2c9cc58d7d3d31 pencil accumulate, light
  db235fab1113a918 pencil accumulate, dark
  46dc634ef76c19f4 marker accumulate, light
  0d1f77eace3f6888 marker accumulate, dark
  1a2bfacc706b5e99 watercolor accumulate, light
  51c808fecf9ad574 watercolor accumulate, dark
  9f86b5511d469029 pen saturate, light
  6b8b052fdb1d3b64 pen saturate, dark
  805845ed5cfd6038 fountainPen saturate, light
  6b9f75ac420dbbeb fountainPen saturate, dark
  5b2c9cc58d7d3d31 pencil saturate, light
  db235fab1113a918 pencil saturate, dark
  46dc634ef76c19f4 marker saturate, light
  0d1f77eace3f6888 marker saturate, dark
  1a2bfacc706b5e99 watercolor saturate, light
  51c808fecf9ad574 watercolor saturate, dark
  8b2eeea8bb4ae168 transparent background, light
  33ca82dc1a6ad29e transparent background, dark
  b478c5eadee622c0 green background, light
  6432af9ec96b35ac green background, dark
  0e9ca9bff63ac774 translucent red background, light
  dd22bed078bc7f24 translucent red background, dark
  ca70f03edfe37ecc coloured page, light
  be8c515f7a17c9a3 coloured page, dark
  aaf1b064d93176f3 lined paper, light
  77aae6d744e16947 lined paper, dark
  05298ca978ccfbb8 dotted, transparent background, light
  234ff7e7195e0f74 dotted, transparent background, dark
  c89e7acd2a9ecae8 stored colours, light
  2abd9c73faeafdef stored colours, dark
  8001291905f9b5df 16 bits, light
  41ddaf3223cc7373 16 bits, dark
  50247d2ac80daefa 16 bits, transparent background, light
  5deafebd00ddc87e 16 bits, transparent background, dark
  166aa7c83b6d1c8d linear light, light
  eaac224efab4640e linear light, dark
  ec7dedebd4156ca3 linear light, transparent background, light
  83e60721facb8cbe linear light, transparent background, dark
  6474c3e48fc04fd4 linear light, 16 bits, light
  fc30f5be56afb906 linear light, 16 bits, dark
  c13e56407ff6d9ea Display P3, light
  f246f12fffc6aaf4 Display P3, dark
  cdf90819fe2ea0d0 Display P3, linear light, 16 bits, light
  8249ef3b22271dd1 Display P3, linear light, 16 bits, dark
  08c518d4f25ba655 draft quality, light
  035b8cff4519d4c7 draft quality, dark
  90ab7108cde14557 draft thumbnail, light
  7a62620747712d78 draft thumbnail, dark
  c89e7acd2a9ecae8 normal quality, light
  2abd9c73faeafdef normal quality, dark
  bba4f9bf76680e56 normal thumbnail, light
  83c3db0d1003a011 normal thumbnail, dark
  b78898f39c8ad101 fine quality, light
  774fb7f8f2e89655 fine quality, dark
  b142a8eeb2feb5cb fine thumbnail, light
  c565dd085d5478ad fine thumbnail, dark
  88cdb17ba066a20d unknown ink, light
  4b39b9c8107be455 unknown ink, dark
  """
