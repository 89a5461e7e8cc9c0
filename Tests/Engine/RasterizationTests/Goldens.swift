/// The hashes of all scenes, in light and in dark style. The pictures of scenes that have changed
/// are written to `.build/pictures`. If all of them are right, store the new hashes with
/// `TEST_RENEW=1 swift test --filter PictureTests`.
let goldens = """
  4a5bf65e8a1f3e29 pen ramp, light
  43dabedc5e8e3e81 pen ramp, dark
  4b2d0c0cd5764d91 pen curve, light
  62a5a29111f37b61 pen curve, dark
  88cdb17ba066a20d pen loop, light
  4b39b9c8107be455 pen loop, dark
  dd03310e30cb375f pen overlaps, light
  3a837ae88994100d pen overlaps, dark
  a9063b98c5659798 pen taps, light
  605e209e805bbe28 pen taps, dark
  f0eabe33a187ee3c pen zigzag, light
  86b61ff3d944e064 pen zigzag, dark
  d96749bfbc289562 monoline ramp, light
  13ce9ee825ebda55 monoline ramp, dark
  f72455977a5dce91 monoline curve, light
  6d6bcb536c7ccd5f monoline curve, dark
  3da575206f708eaa monoline loop, light
  a357d79b9ab3ce77 monoline loop, dark
  1d9bb06a08be5cdb monoline overlaps, light
  f0f227a3cf06a7ef monoline overlaps, dark
  47e01558ed9d1368 monoline taps, light
  e7a7a5a58a55df65 monoline taps, dark
  08497eba30199207 monoline zigzag, light
  94a25c8344c39e19 monoline zigzag, dark
  688d83e7086c2e3f fountainPen ramp, light
  127af5a6d75bff2b fountainPen ramp, dark
  708789dde8d336c9 fountainPen curve, light
  08eaadce675ec2a2 fountainPen curve, dark
  848da9bdaef7d0be fountainPen loop, light
  7c53d524f3741419 fountainPen loop, dark
  09ddb636bc9cb1fe fountainPen overlaps, light
  2f4fe7b7e1b46070 fountainPen overlaps, dark
  9c1baabb36564b76 fountainPen taps, light
  1eab7d8a3b7398a8 fountainPen taps, dark
  92995a8ef5c92533 fountainPen zigzag, light
  f1ee918e727907a3 fountainPen zigzag, dark
  6c3631b14cb1ca7f reed ramp, light
  50a5f0ac3152cf9b reed ramp, dark
  3e1f204f272aa815 reed curve, light
  81927f4593668fad reed curve, dark
  df5a4b3fbf58023c reed loop, light
  2c253992095c8398 reed loop, dark
  330b68f816018fe4 reed overlaps, light
  8de351350f8b7adc reed overlaps, dark
  c5443c5ee3c2cab6 reed taps, light
  fc41b50f5327432e reed taps, dark
  2d8266db3573b969 reed zigzag, light
  4c3f36918d669de1 reed zigzag, dark
  0aec0f53914f1030 marker ramp, light
  e32f8069b1142a89 marker ramp, dark
  6ec2539cb964e153 marker curve, light
  15615ab3959cc065 marker curve, dark
  3e0ff89a4337ecdb marker loop, light
  6a69f88a33857894 marker loop, dark
  bc5dbdad4e9f95e3 marker overlaps, light
  4e9630c1bff75fc7 marker overlaps, dark
  3196f403900e503e marker taps, light
  9f79b7fcf375b0a9 marker taps, dark
  b3c9fa3171b6dc80 marker zigzag, light
  48b0908a9027948a marker zigzag, dark
  ec74488d25864799 pencil ramp, light
  eef53f418f182a92 pencil ramp, dark
  9310c131944b372c pencil curve, light
  30c7855e3647fd6c pencil curve, dark
  5a8c4c92aa3301e8 pencil loop, light
  31f6e4a0a8b1f208 pencil loop, dark
  7690430fdee8110d pencil overlaps, light
  5a676e9a25dd4d6e pencil overlaps, dark
  1a035f4fa3c7da89 pencil taps, light
  9e5b9d0d9d4bbc60 pencil taps, dark
  c519b6b5f7f52cec pencil zigzag, light
  1d88880d83a7f181 pencil zigzag, dark
  4df060e49874b677 crayon ramp, light
  c702e155430c5436 crayon ramp, dark
  542cf8609fe29843 crayon curve, light
  847287e43d970043 crayon curve, dark
  f15bbc42b2a2cd07 crayon loop, light
  520b77644bb5bfd1 crayon loop, dark
  c442f2a6532d532b crayon overlaps, light
  b32d3e07a476f56b crayon overlaps, dark
  0b1f94b89618004b crayon taps, light
  173e64913345d61a crayon taps, dark
  95bed6d476e3404e crayon zigzag, light
  1829b5bfc4cbfaa8 crayon zigzag, dark
  562d55670f31370b watercolor ramp, light
  95e2463a6c09c085 watercolor ramp, dark
  e70c7c963d10c765 watercolor curve, light
  5677d872b1be67ce watercolor curve, dark
  122d05b0518e6f77 watercolor loop, light
  809dbf272f820c5d watercolor loop, dark
  2c4820b58a577c2b watercolor overlaps, light
  9085a9885d0e9263 watercolor overlaps, dark
  1ac90420d4ddef5b watercolor taps, light
  85233ef031975598 watercolor taps, dark
  a1c26ed81b8075bb watercolor zigzag, light
  b343f0dbbd0b4f33 watercolor zigzag, dark
  c1ea284c48e50f4e pen masked nonZero, light
  6be5ad49274e291e pen masked nonZero, dark
  c9ce04eeca9062f5 pen masked evenOdd, light
  d3ba693568446095 pen masked evenOdd, dark
  ade9e6d2fc4231b3 fountainPen masked nonZero, light
  7d828cebe1ffc38c fountainPen masked nonZero, dark
  3adb24644f15b61d fountainPen masked evenOdd, light
  4d4fc7e5b05fb8c4 fountainPen masked evenOdd, dark
  4129378f72a66cb1 pencil masked nonZero, light
  3c019d3a2d6e27d2 pencil masked nonZero, dark
  2d3b7b70ab223943 pencil masked evenOdd, light
  278a2a85084965f4 pencil masked evenOdd, dark
  c5248177943e3502 watercolor masked nonZero, light
  31bf943e396caf54 watercolor masked nonZero, dark
  f81979e6f4215b5b watercolor masked evenOdd, light
  c20ff4ec4af62fc2 watercolor masked evenOdd, dark
  d81cc089c5ac6cf6 pen parts, light
  5d39779bf3ac9dce pen parts, dark
  27216c2e925e2fbd monoline parts, light
  85673d15379bd00e monoline parts, dark
  87c45150acbca7ef fountainPen parts, light
  e3c9e210f84a0985 fountainPen parts, dark
  1ded80fecab777df reed parts, light
  eeaf7da9967e87df reed parts, dark
  fd07e3f92492291e marker parts, light
  fa3936cd58f96853 marker parts, dark
  21194a479713d994 pencil parts, light
  2a7906aa9b8569c7 pencil parts, dark
  311d5f577e83895d crayon parts, light
  0070348fb1b2dd5c crayon parts, dark
  5854c130a0f16403 watercolor parts, light
  a927c6ac7f5fb996 watercolor parts, dark
  055b7f4e1a3fc715 pen turned, light
  62f24f3499bfb005 pen turned, dark
  6d9278969b5d8768 pen enlarged, light
  8c5a8a2a44b3a5b0 pen enlarged, dark
  4a23be8222534139 pen mirrored, light
  690543c455c1a4b1 pen mirrored, dark
  9cea5316219eb214 pen skewed, light
  f7b0a9e7da49d1a4 pen skewed, dark
  e1f07c5fb5c33850 monoline turned, light
  301509a2a5c4276e monoline turned, dark
  7400a1404c25265b monoline enlarged, light
  d77be69188213cc1 monoline enlarged, dark
  8edd697859f39c45 monoline mirrored, light
  10afb1d85347d3b7 monoline mirrored, dark
  4089f841ca20b47b monoline skewed, light
  bcf63db53ee97fb5 monoline skewed, dark
  ec8a5a0126453353 fountainPen turned, light
  410c71cbbf4a0f6d fountainPen turned, dark
  a3aa7c12fd98040e fountainPen enlarged, light
  7096d39350fe1092 fountainPen enlarged, dark
  3a3f20433842ec65 fountainPen mirrored, light
  428c2e652c2b6336 fountainPen mirrored, dark
  b6b5098a0092c52c fountainPen skewed, light
  37495d0e87780c25 fountainPen skewed, dark
  060ddc85e1ad4d23 reed turned, light
  e6c8a803e0209ff3 reed turned, dark
  2b64d8816498e21a reed enlarged, light
  538a5f4a91e69e72 reed enlarged, dark
  9821061de7ffe25e reed mirrored, light
  d8fcb103008445f2 reed mirrored, dark
  9a0ce72150bcf313 reed skewed, light
  3daee56950cf03d3 reed skewed, dark
  2d508603c8061a27 marker turned, light
  189ff7b7d6ba326f marker turned, dark
  95e7a0b0732fdaf5 marker enlarged, light
  3aea8aa86a3eada9 marker enlarged, dark
  551de43df31dfb9f marker mirrored, light
  0fa5679d1573f35d marker mirrored, dark
  65254a64e4e5f489 marker skewed, light
  0bb2999d77eb3b6b marker skewed, dark
  9318fdd5a13833e8 pencil turned, light
  8cedcfb183993e0e pencil turned, dark
  5e3ede6a0001f1c0 pencil enlarged, light
  3f10a2a16ca93a5a pencil enlarged, dark
  7d9b71c2396a542f pencil mirrored, light
  cc1023b91db767f1 pencil mirrored, dark
  cd803a8feea38bc3 pencil skewed, light
  bfcb0dc9f32c5881 pencil skewed, dark
  7fb6525807e2ea64 crayon turned, light
  e4ade887465134dd crayon turned, dark
  015a14193ec3f3e5 crayon enlarged, light
  391e1403f0e9f02c crayon enlarged, dark
  6732e6c189330b49 crayon mirrored, light
  c906a2359633158d crayon mirrored, dark
  630ad3dda7b483f0 crayon skewed, light
  ebda2b1a31d88e33 crayon skewed, dark
  414cb5e66c9a7c7d watercolor turned, light
  1475247d44021019 watercolor turned, dark
  e8ee448ce3b9f1f8 watercolor enlarged, light
  e8719beb9cf5b0c0 watercolor enlarged, dark
  6a2dd607272c149b watercolor mirrored, light
  9ee0f37f855da06e watercolor mirrored, dark
  02c08fedc49cb2d1 watercolor skewed, light
  247c6aca29c8b657 watercolor skewed, dark
  642dfa6b07ac7010 pen wet, light
  d774ed1de3651688 pen wet, dark
  c230799818e9d0d5 monoline wet, light
  d875e26771bf9483 monoline wet, dark
  3e48d5b3736a52b2 fountainPen wet, light
  d2c8e2c5075ecab5 fountainPen wet, dark
  ec2650a6e81617d7 reed wet, light
  e221da92db2254bf reed wet, dark
  f474d675e4dfd58b marker wet, light
  7b91c2e19c82204a marker wet, dark
  accc479cf66cd6d2 pencil wet, light
  3abca45c46a8d767 pencil wet, dark
  91fc94c66b6a3960 crayon wet, light
  663c9a8871a531e2 crayon wet, dark
  2d49680c91eec440 watercolor wet, light
  01d9837072b8c451 watercolor wet, dark
  4872116fd370ee59 pen opacities, light
  970f4a0bd0d69f69 pen opacities, dark
  a3ebcfa5ac8ef503 monoline opacities, light
  730617862c231360 monoline opacities, dark
  639d7a51ffb7d480 fountainPen opacities, light
  6b320e5eb8b4dbff fountainPen opacities, dark
  3bb5fd6c94994fbc reed opacities, light
  38b543264ee31a4c reed opacities, dark
  4754e94256a54eac marker opacities, light
  d7a7d0254698be71 marker opacities, dark
  c889e4db430ad452 pencil opacities, light
  78f74c589270d73e pencil opacities, dark
  b1e05bafc3113034 crayon opacities, light
  3259b4a910e81fc4 crayon opacities, dark
  ef9140f0ce482e64 watercolor opacities, light
  bec53984905ce388 watercolor opacities, dark
  ba468fef67d16709 pen threshold, light
  6f885f439efa5d11 pen threshold, dark
  b9cd6de76b0079e1 pencil threshold, light
  e64024be53d75f8b pencil threshold, dark
  3e1f204f272aa815 reed threshold, light
  81927f4593668fad reed threshold, dark
  cd97fb6d66b2ba34 marker threshold, light
  c3a3fb3f1f81fc3c marker threshold, dark
  11bdaf5b9f3125b1 pen discard, light
  b850007a221a2882 pen discard, dark
  32b3ba549a33e2e5 fountainPen discard, light
  3d237e6842870df2 fountainPen discard, dark
  164aff145888a874 pencil discard, light
  3cd8f96578bd29b5 pencil discard, dark
  aae57494bc36a706 marker discard, light
  a3a992434d38f089 marker discard, dark
  2a51d33e49097093 watercolor discard, light
  2dd7f690d640be38 watercolor discard, dark
  acaee5c3c6dbffb8 pen accumulate, light
  5267550eeab6c02c pen accumulate, dark
  c15c4b8abbaf4db0 fountainPen accumulate, light
  23bf771bea272880 fountainPen accumulate, dark
  5b2c9cc58d7d3d31 pencil accumulate, light
  54c0781ffe40d130 pencil accumulate, dark
  992f08a0a32597fe marker accumulate, light
  be1f7775862dc0e3 marker accumulate, dark
  8b967b05ac621fa7 watercolor accumulate, light
  0d1b0d2a4a2db0bb watercolor accumulate, dark
  9f86b5511d469029 pen saturate, light
  2d3748f46cfd2ac5 pen saturate, dark
  805845ed5cfd6038 fountainPen saturate, light
  a3928033205ce346 fountainPen saturate, dark
  5b2c9cc58d7d3d31 pencil saturate, light
  54c0781ffe40d130 pencil saturate, dark
  992f08a0a32597fe marker saturate, light
  be1f7775862dc0e3 marker saturate, dark
  8b967b05ac621fa7 watercolor saturate, light
  0d1b0d2a4a2db0bb watercolor saturate, dark
  ae7e9e35ddbd007a transparent background, light
  d0338aa03a94e120 transparent background, dark
  01126ded603ecb38 green background, light
  24a411781e181722 green background, dark
  80ce7e74a109df5e translucent red background, light
  6c8c77b551bbe164 translucent red background, dark
  030f82ec759c19e7 coloured page, light
  c07eb181ac0d6873 coloured page, dark
  15b2db5ec51dcbc0 lined paper, light
  c17ebd299845b9ef lined paper, dark
  f6581649d6b7afa0 dotted, transparent background, light
  8515a75197e210b3 dotted, transparent background, dark
  43089c4193e2c70e stored colours, light
  d429ba41b70eba07 stored colours, dark
  a66a8bd646801024 16 bits, light
  66de021ff3f9a459 16 bits, dark
  ef088c780e833ba7 16 bits, transparent background, light
  4eaf7142ea630b90 16 bits, transparent background, dark
  dd7db37476ebd3ff linear light, light
  6381faa8ddf7e258 linear light, dark
  b9d80f80c649a782 linear light, transparent background, light
  5296b8838018c70a linear light, transparent background, dark
  940381a9d3f99ec2 linear light, 16 bits, light
  3cca14b0d4cb0697 linear light, 16 bits, dark
  ddc64ab9f5a82793 Display P3, light
  903a68721b139a4d Display P3, dark
  ac3901fcdeaa38d2 Display P3, linear light, 16 bits, light
  5b41019d8c9c72b9 Display P3, linear light, 16 bits, dark
  416c3fddaa2113bc draft quality, light
  b4914e07af31cbfc draft quality, dark
  90ab7108cde14557 draft thumbnail, light
  1c6473a76b4fb7cf draft thumbnail, dark
  43089c4193e2c70e normal quality, light
  d429ba41b70eba07 normal quality, dark
  bba4f9bf76680e56 normal thumbnail, light
  23e22d622881d5de normal thumbnail, dark
  3b858dba66fde01a fine quality, light
  3c127194cb9c7aab fine quality, dark
  2ca1895505fd5f5d fine thumbnail, light
  3d6b7fef4743bd37 fine thumbnail, dark
  88cdb17ba066a20d unknown ink, light
  4b39b9c8107be455 unknown ink, dark
  """
