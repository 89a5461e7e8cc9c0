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
  e2d212858a354c75 reed zigzag, light
  238bf08aaf1cc1f2 reed zigzag, dark
  0076a6cf2c2a30f2 marker ramp, light
  2fd5b1d2ec9d4cbc marker ramp, dark
  8e41a1adeb253773 marker curve, light
  f47a0e60ae7ad0f2 marker curve, dark
  d5a0de81a11f0d7d marker loop, light
  1c47d4bda14cba8a marker loop, dark
  d0ff1ff0549e45ab marker overlaps, light
  83186a29b660cbd8 marker overlaps, dark
  a10b6b411aaea62f marker taps, light
  0f24d53e45f30429 marker taps, dark
  841c4fe9a989c231 marker zigzag, light
  6460a549cd3a508c marker zigzag, dark
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
  fef8fdf04a1ee567 pencil zigzag, light
  f719e8d21c0ec46b pencil zigzag, dark
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
  c1bdd4881bccece2 crayon zigzag, light
  77bff286c25e3bc7 crayon zigzag, dark
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
  5d50a34acae48e4e watercolor zigzag, light
  6f5eab3f2fd7157e watercolor zigzag, dark
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
  b17e6f23dfc3837b watercolor masked nonZero, light
  57f0deb9d9e8d5e0 watercolor masked nonZero, dark
  c2b8862d1cd1f17d watercolor masked evenOdd, light
  084c41a3d236ae9a watercolor masked evenOdd, dark
  d81cc089c5ac6cf6 pen parts, light
  5d39779bf3ac9dce pen parts, dark
  27216c2e925e2fbd monoline parts, light
  afc68661741b2010 monoline parts, dark
  87c45150acbca7ef fountainPen parts, light
  a33be9a9dc918995 fountainPen parts, dark
  1ded80fecab777df reed parts, light
  6353f48ee7ebfc58 reed parts, dark
  b4d5a845c99bab52 marker parts, light
  bf1058efab7a95bb marker parts, dark
  7a2a9cfdd3931764 pencil parts, light
  116bfb6d4e57d44d pencil parts, dark
  7836369ae8942626 crayon parts, light
  8a76dd818479f4da crayon parts, dark
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
  ff88edf331ddc080 reed skewed, light
  4ecc7d8cb40853fd reed skewed, dark
  f9e18e7f5a07584d marker turned, light
  856383a60106e653 marker turned, dark
  5cc090223222d818 marker enlarged, light
  96f4172df0b6dc6f marker enlarged, dark
  0b189623f61600c7 marker mirrored, light
  7bcdc8aefb3218fe marker mirrored, dark
  71138896c8deb64d marker skewed, light
  421efa0e4646d3f1 marker skewed, dark
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
  0d34281bb2dfee17 watercolor enlarged, light
  67486e0356e44e01 watercolor enlarged, dark
  6a2dd607272c149b watercolor mirrored, light
  b2127dce0ab9c88a watercolor mirrored, dark
  a9a6327eaa3a4c5d watercolor skewed, light
  23d69ac6059a3e80 watercolor skewed, dark
  642dfa6b07ac7010 pen wet, light
  d774ed1de3651688 pen wet, dark
  c230799818e9d0d5 monoline wet, light
  344c1305dfabef10 monoline wet, dark
  3e48d5b3736a52b2 fountainPen wet, light
  422e786789ae45ef fountainPen wet, dark
  ec2650a6e81617d7 reed wet, light
  1008926a790389da reed wet, dark
  c1a4fad361492bab marker wet, light
  6ad2eb88d7cc43d7 marker wet, dark
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
  0a41f7a7f5480f51 marker opacities, light
  a6acd347f68e0bb3 marker opacities, dark
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
  0b68e2b4623173f1 marker threshold, light
  de5a8d60ce593d31 marker threshold, dark
  11bdaf5b9f3125b1 pen discard, light
  d82a8ae05db7cde6 pen discard, dark
  32b3ba549a33e2e5 fountainPen discard, light
  5d498ba766d8165b fountainPen discard, dark
  164aff145888a874 pencil discard, light
  c407c554ebc7f14a pencil discard, dark
  2b28dc452895b414 marker discard, light
  70df93147af2653b marker discard, dark
  2a51d33e49097093 watercolor discard, light
  f8b8c84781b60eef watercolor discard, dark
  acaee5c3c6dbffb8 pen accumulate, light
  6c3497688858cb8d pen accumulate, dark
  c15c4b8abbaf4db0 fountainPen accumulate, light
  ef7080dc1a4deb2d fountainPen accumulate, dark
  5b2c9cc58d7d3d31 pencil accumulate, light
  db235fab1113a918 pencil accumulate, dark
  4c0bbaa3013f1991 marker accumulate, light
  4774c87e914ef4d6 marker accumulate, dark
  8b967b05ac621fa7 watercolor accumulate, light
  be6131a6238d5e1f watercolor accumulate, dark
  9f86b5511d469029 pen saturate, light
  6b8b052fdb1d3b64 pen saturate, dark
  805845ed5cfd6038 fountainPen saturate, light
  6b9f75ac420dbbeb fountainPen saturate, dark
  5b2c9cc58d7d3d31 pencil saturate, light
  db235fab1113a918 pencil saturate, dark
  4c0bbaa3013f1991 marker saturate, light
  4774c87e914ef4d6 marker saturate, dark
  8b967b05ac621fa7 watercolor saturate, light
  be6131a6238d5e1f watercolor saturate, dark
  9c1ee55b55ee812d transparent background, light
  5b81fa5327eba74a transparent background, dark
  76bb51a8e94178a4 green background, light
  831e6f695bbd0005 green background, dark
  2b1bfeb8e227596f translucent red background, light
  0f25a1f45eba6a34 translucent red background, dark
  77c78c4aca0203db coloured page, light
  d39987cd0fed2ee5 coloured page, dark
  70ca1e24a50de173 lined paper, light
  facbe6b2c5712d71 lined paper, dark
  aeb7bbf2d9ef276d dotted, transparent background, light
  92612a6b523fec0f dotted, transparent background, dark
  0b7c34947aabad81 stored colours, light
  32e19a3d672f6b25 stored colours, dark
  32dc68ee22982253 16 bits, light
  05732a28f20258cc 16 bits, dark
  7cb4e617dd05d87b 16 bits, transparent background, light
  de89eeab9b3f7b92 16 bits, transparent background, dark
  3af0127edf62ed91 linear light, light
  66816da66d780fc4 linear light, dark
  2794c65fe3beb436 linear light, transparent background, light
  6b1b5f40a01fddd2 linear light, transparent background, dark
  8581af0d47e8537b linear light, 16 bits, light
  c102fe6e7dc21dfc linear light, 16 bits, dark
  c45888533b18f2e1 Display P3, light
  841387b0801dd2c5 Display P3, dark
  585b759a6e05409d Display P3, linear light, 16 bits, light
  417f998c7470a3f7 Display P3, linear light, 16 bits, dark
  5f2d0c91463584bc draft quality, light
  cfb0ad03f0d625af draft quality, dark
  7799fd076a1ee5c2 draft thumbnail, light
  1d4df3c09ab7738e draft thumbnail, dark
  0b7c34947aabad81 normal quality, light
  32e19a3d672f6b25 normal quality, dark
  1c32abdec7e122a1 normal thumbnail, light
  c5f7ece1e37c2f70 normal thumbnail, dark
  cf5e71f4eccff3a7 fine quality, light
  f025c59ab8f37af5 fine quality, dark
  133fc3b6f9a16f50 fine thumbnail, light
  b94de98acaf628f0 fine thumbnail, dark
  88cdb17ba066a20d unknown ink, light
  4b39b9c8107be455 unknown ink, dark
  """
