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
  3e1f204f272aa815 reed curve, light
  321c9b30c2788082 reed curve, dark
  df5a4b3fbf58023c reed loop, light
  ab611cd093463db3 reed loop, dark
  330b68f816018fe4 reed overlaps, light
  9b64a8adbaa7a102 reed overlaps, dark
  c5443c5ee3c2cab6 reed taps, light
  65fb84d5a21e0ab3 reed taps, dark
  2d8266db3573b969 reed zigzag, light
  127027d299c97bdd reed zigzag, dark
  0aec0f53914f1030 marker ramp, light
  e32f8069b1142a89 marker ramp, dark
  6ec2539cb964e153 marker curve, light
  15615ab3959cc065 marker curve, dark
  3e0ff89a4337ecdb marker loop, light
  6a69f88a33857894 marker loop, dark
  bc5dbdad4e9f95e3 marker overlaps, light
  dc6481b6269eeba3 marker overlaps, dark
  3196f403900e503e marker taps, light
  9f79b7fcf375b0a9 marker taps, dark
  b3c9fa3171b6dc80 marker zigzag, light
  48b0908a9027948a marker zigzag, dark
  ec74488d25864799 pencil ramp, light
  a360a7359ce404a3 pencil ramp, dark
  9310c131944b372c pencil curve, light
  94a559a2dafd84e6 pencil curve, dark
  5a8c4c92aa3301e8 pencil loop, light
  2601f792989a74bb pencil loop, dark
  7690430fdee8110d pencil overlaps, light
  1d894df1d371ca64 pencil overlaps, dark
  1a035f4fa3c7da89 pencil taps, light
  c23c3cee33f18086 pencil taps, dark
  c519b6b5f7f52cec pencil zigzag, light
  bd740285ce926f9d pencil zigzag, dark
  4df060e49874b677 crayon ramp, light
  f34f51ca5e37f8ca crayon ramp, dark
  542cf8609fe29843 crayon curve, light
  85f0a7ca2338dc1a crayon curve, dark
  f15bbc42b2a2cd07 crayon loop, light
  06a0d2d1c5232128 crayon loop, dark
  c442f2a6532d532b crayon overlaps, light
  5f6fc4c88e1dcfa4 crayon overlaps, dark
  0b1f94b89618004b crayon taps, light
  f238e217e900f2ef crayon taps, dark
  95bed6d476e3404e crayon zigzag, light
  89c095873b5c5523 crayon zigzag, dark
  562d55670f31370b watercolor ramp, light
  0f21a84e7394d21c watercolor ramp, dark
  e70c7c963d10c765 watercolor curve, light
  d53db84f97d7ada1 watercolor curve, dark
  122d05b0518e6f77 watercolor loop, light
  b3d56d22cdca41d4 watercolor loop, dark
  2c4820b58a577c2b watercolor overlaps, light
  a42779a10704b754 watercolor overlaps, dark
  1ac90420d4ddef5b watercolor taps, light
  5188b700f4986cb3 watercolor taps, dark
  a1c26ed81b8075bb watercolor zigzag, light
  342892d1dfafabd2 watercolor zigzag, dark
  c1ea284c48e50f4e pen masked nonZero, light
  6be5ad49274e291e pen masked nonZero, dark
  c9ce04eeca9062f5 pen masked evenOdd, light
  d3ba693568446095 pen masked evenOdd, dark
  ade9e6d2fc4231b3 fountainPen masked nonZero, light
  9aab187048b6c0c1 fountainPen masked nonZero, dark
  3adb24644f15b61d fountainPen masked evenOdd, light
  1b23eb82e3fa98a1 fountainPen masked evenOdd, dark
  4129378f72a66cb1 pencil masked nonZero, light
  9bae40f190260bd9 pencil masked nonZero, dark
  2d3b7b70ab223943 pencil masked evenOdd, light
  d5b3e83e7dbd4328 pencil masked evenOdd, dark
  c5248177943e3502 watercolor masked nonZero, light
  925abf0f64f33f36 watercolor masked nonZero, dark
  f81979e6f4215b5b watercolor masked evenOdd, light
  6b3d31131fd12571 watercolor masked evenOdd, dark
  d81cc089c5ac6cf6 pen parts, light
  5d39779bf3ac9dce pen parts, dark
  27216c2e925e2fbd monoline parts, light
  afc68661741b2010 monoline parts, dark
  87c45150acbca7ef fountainPen parts, light
  a33be9a9dc918995 fountainPen parts, dark
  1ded80fecab777df reed parts, light
  6353f48ee7ebfc58 reed parts, dark
  fd07e3f92492291e marker parts, light
  fa3936cd58f96853 marker parts, dark
  21194a479713d994 pencil parts, light
  afa056dd25e0f80c pencil parts, dark
  311d5f577e83895d crayon parts, light
  4f32a6f1149b6b4c crayon parts, dark
  5854c130a0f16403 watercolor parts, light
  4835c3d776a82574 watercolor parts, dark
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
  060ddc85e1ad4d23 reed turned, light
  6d28488ec8982a8f reed turned, dark
  2b64d8816498e21a reed enlarged, light
  a6ec1e5bc658bbbd reed enlarged, dark
  9821061de7ffe25e reed mirrored, light
  bfd0f1c52c2ae29e reed mirrored, dark
  9a0ce72150bcf313 reed skewed, light
  0c6f3f3494da2a0a reed skewed, dark
  2d508603c8061a27 marker turned, light
  189ff7b7d6ba326f marker turned, dark
  95e7a0b0732fdaf5 marker enlarged, light
  3aea8aa86a3eada9 marker enlarged, dark
  551de43df31dfb9f marker mirrored, light
  0fa5679d1573f35d marker mirrored, dark
  65254a64e4e5f489 marker skewed, light
  0bb2999d77eb3b6b marker skewed, dark
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
  015a14193ec3f3e5 crayon enlarged, light
  75c72b044d49e3a1 crayon enlarged, dark
  6732e6c189330b49 crayon mirrored, light
  97ffa90888dc3620 crayon mirrored, dark
  630ad3dda7b483f0 crayon skewed, light
  1c20582b62c9db7c crayon skewed, dark
  414cb5e66c9a7c7d watercolor turned, light
  e664324716ab4f90 watercolor turned, dark
  e8ee448ce3b9f1f8 watercolor enlarged, light
  72163dc0b9e041b7 watercolor enlarged, dark
  6a2dd607272c149b watercolor mirrored, light
  b2127dce0ab9c88a watercolor mirrored, dark
  02c08fedc49cb2d1 watercolor skewed, light
  b03e860aa8c5109e watercolor skewed, dark
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
  3bb5fd6c94994fbc reed opacities, light
  189330604608d2f0 reed opacities, dark
  4754e94256a54eac marker opacities, light
  d7a7d0254698be71 marker opacities, dark
  c889e4db430ad452 pencil opacities, light
  8be4b9401e821460 pencil opacities, dark
  b1e05bafc3113034 crayon opacities, light
  1a67e58b7b60dc10 crayon opacities, dark
  ef9140f0ce482e64 watercolor opacities, light
  191e926188bbf2cd watercolor opacities, dark
  ba468fef67d16709 pen threshold, light
  6f885f439efa5d11 pen threshold, dark
  b9cd6de76b0079e1 pencil threshold, light
  3304c9966db465f3 pencil threshold, dark
  3e1f204f272aa815 reed threshold, light
  321c9b30c2788082 reed threshold, dark
  cd97fb6d66b2ba34 marker threshold, light
  c3a3fb3f1f81fc3c marker threshold, dark
  11bdaf5b9f3125b1 pen discard, light
  d82a8ae05db7cde6 pen discard, dark
  32b3ba549a33e2e5 fountainPen discard, light
  5d498ba766d8165b fountainPen discard, dark
  164aff145888a874 pencil discard, light
  c407c554ebc7f14a pencil discard, dark
  aae57494bc36a706 marker discard, light
  5749f7dd98334b06 marker discard, dark
  2a51d33e49097093 watercolor discard, light
  f8b8c84781b60eef watercolor discard, dark
  acaee5c3c6dbffb8 pen accumulate, light
  6c3497688858cb8d pen accumulate, dark
  c15c4b8abbaf4db0 fountainPen accumulate, light
  ef7080dc1a4deb2d fountainPen accumulate, dark
  5b2c9cc58d7d3d31 pencil accumulate, light
  db235fab1113a918 pencil accumulate, dark
  992f08a0a32597fe marker accumulate, light
  f838348760eaf8d0 marker accumulate, dark
  8b967b05ac621fa7 watercolor accumulate, light
  be6131a6238d5e1f watercolor accumulate, dark
  9f86b5511d469029 pen saturate, light
  6b8b052fdb1d3b64 pen saturate, dark
  805845ed5cfd6038 fountainPen saturate, light
  6b9f75ac420dbbeb fountainPen saturate, dark
  5b2c9cc58d7d3d31 pencil saturate, light
  db235fab1113a918 pencil saturate, dark
  992f08a0a32597fe marker saturate, light
  f838348760eaf8d0 marker saturate, dark
  8b967b05ac621fa7 watercolor saturate, light
  be6131a6238d5e1f watercolor saturate, dark
  ae7e9e35ddbd007a transparent background, light
  3eb8c2d1bf2eec0a transparent background, dark
  01126ded603ecb38 green background, light
  6d1760c592c30fe1 green background, dark
  80ce7e74a109df5e translucent red background, light
  3031c04680853cea translucent red background, dark
  030f82ec759c19e7 coloured page, light
  80b0d5d55d133b28 coloured page, dark
  15b2db5ec51dcbc0 lined paper, light
  ae685fb897a387a7 lined paper, dark
  f6581649d6b7afa0 dotted, transparent background, light
  2d83033ec9f29ec5 dotted, transparent background, dark
  43089c4193e2c70e stored colours, light
  301d844dbcd87c4d stored colours, dark
  a66a8bd646801024 16 bits, light
  f83544f182c32797 16 bits, dark
  ef088c780e833ba7 16 bits, transparent background, light
  395975a7a0d6f32b 16 bits, transparent background, dark
  dd7db37476ebd3ff linear light, light
  93a1319ebe755a38 linear light, dark
  b9d80f80c649a782 linear light, transparent background, light
  a13d79deef5f93b3 linear light, transparent background, dark
  940381a9d3f99ec2 linear light, 16 bits, light
  68006ef4e6c58b6f linear light, 16 bits, dark
  ddc64ab9f5a82793 Display P3, light
  9646c5654f0831de Display P3, dark
  ac3901fcdeaa38d2 Display P3, linear light, 16 bits, light
  87822eff4c402253 Display P3, linear light, 16 bits, dark
  416c3fddaa2113bc draft quality, light
  ab5184d195cef36e draft quality, dark
  90ab7108cde14557 draft thumbnail, light
  7a62620747712d78 draft thumbnail, dark
  43089c4193e2c70e normal quality, light
  301d844dbcd87c4d normal quality, dark
  bba4f9bf76680e56 normal thumbnail, light
  83c3db0d1003a011 normal thumbnail, dark
  3b858dba66fde01a fine quality, light
  b2a08277dae89196 fine quality, dark
  2ca1895505fd5f5d fine thumbnail, light
  3e2c71ccb72260d0 fine thumbnail, dark
  88cdb17ba066a20d unknown ink, light
  4b39b9c8107be455 unknown ink, dark
  """
