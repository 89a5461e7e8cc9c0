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
  9e2769ec944e4899 reed curve, light
  c36adc713b45c00c reed curve, dark
  971f06e5eeaa425e reed loop, light
  a5559c80b3c38e05 reed loop, dark
  330b68f816018fe4 reed overlaps, light
  9b64a8adbaa7a102 reed overlaps, dark
  c5443c5ee3c2cab6 reed taps, light
  65fb84d5a21e0ab3 reed taps, dark
  8d3fc2b9338ea2f8 reed zigzag, light
  680ac19a2502d894 reed zigzag, dark
  0076a6cf2c2a30f2 marker ramp, light
  2fd5b1d2ec9d4cbc marker ramp, dark
  3eb88c8032b26e20 marker curve, light
  7f97971502959959 marker curve, dark
  d1885b2620093da5 marker loop, light
  a8793b3e6f2310a3 marker loop, dark
  d0ff1ff0549e45ab marker overlaps, light
  83186a29b660cbd8 marker overlaps, dark
  a10b6b411aaea62f marker taps, light
  0f24d53e45f30429 marker taps, dark
  c2ed216752c845c3 marker zigzag, light
  9ca6dec958ecb1c5 marker zigzag, dark
  ec74488d25864799 pencil ramp, light
  a360a7359ce404a3 pencil ramp, dark
  b88bce47bc741bdc pencil curve, light
  3ea0ea56c845d640 pencil curve, dark
  8a8c2575e8c15731 pencil loop, light
  e0a72d0d61f32522 pencil loop, dark
  7690430fdee8110d pencil overlaps, light
  1d894df1d371ca64 pencil overlaps, dark
  8cf8e88e35a90f41 pencil taps, light
  e16ae90557d8fa64 pencil taps, dark
  8c7a9c74c7e30b41 pencil zigzag, light
  ef9b722216685b3a pencil zigzag, dark
  d3098cff4765507e crayon ramp, light
  fcafcba53286455e crayon ramp, dark
  ad9b6a4e0aa1dcca crayon curve, light
  d9e4ed312c5599f9 crayon curve, dark
  4bc42c57d8b01020 crayon loop, light
  334d472b82e7d40a crayon loop, dark
  2c8d736a8fda8c70 crayon overlaps, light
  c18639c9e858b70a crayon overlaps, dark
  39b6776ce9441837 crayon taps, light
  71411f2128fcd2b2 crayon taps, dark
  b9648938d7988103 crayon zigzag, light
  bcbec71afb3368f5 crayon zigzag, dark
  59be4248f7bcecf7 watercolor ramp, light
  940ddb7e4b09a17b watercolor ramp, dark
  540cdf11e0e20de2 watercolor curve, light
  e2914beec3c903ef watercolor curve, dark
  e743ae905cf070ae watercolor loop, light
  2478b22668a9895b watercolor loop, dark
  6b0ff9d1484c7cc4 watercolor overlaps, light
  bb909794274f7364 watercolor overlaps, dark
  52ff478ecb1dcf62 watercolor taps, light
  56859447ba604bf1 watercolor taps, dark
  4b3a9819e5e54d8e watercolor zigzag, light
  6f749e31c458324c watercolor zigzag, dark
  c1ea284c48e50f4e pen masked nonZero, light
  6be5ad49274e291e pen masked nonZero, dark
  c9ce04eeca9062f5 pen masked evenOdd, light
  d3ba693568446095 pen masked evenOdd, dark
  ade9e6d2fc4231b3 fountainPen masked nonZero, light
  9aab187048b6c0c1 fountainPen masked nonZero, dark
  3adb24644f15b61d fountainPen masked evenOdd, light
  1b23eb82e3fa98a1 fountainPen masked evenOdd, dark
  0233ada60a7e0329 pencil masked nonZero, light
  6538b6620754f577 pencil masked nonZero, dark
  56676f7fd9c8a32c pencil masked evenOdd, light
  dd0b8100d9babd3c pencil masked evenOdd, dark
  8d75c12eaa461ba2 watercolor masked nonZero, light
  11be42318212951d watercolor masked nonZero, dark
  6d178fe91e086d69 watercolor masked evenOdd, light
  59feabe0e89d9565 watercolor masked evenOdd, dark
  d81cc089c5ac6cf6 pen parts, light
  5d39779bf3ac9dce pen parts, dark
  27216c2e925e2fbd monoline parts, light
  afc68661741b2010 monoline parts, dark
  87c45150acbca7ef fountainPen parts, light
  a33be9a9dc918995 fountainPen parts, dark
  a7029a21ee0e2828 reed parts, light
  40977a432dbc5e7b reed parts, dark
  64d72484538dec4e marker parts, light
  0b82e07edf1765a1 marker parts, dark
  97bb655f541c89ec pencil parts, light
  9efd60b2d0c51ac9 pencil parts, dark
  931abdda08751be5 crayon parts, light
  7190e20f82eaddb5 crayon parts, dark
  28e70d9799d758b5 watercolor parts, light
  03a5611bc43f93a5 watercolor parts, dark
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
  57947cc88373a973 reed turned, light
  378cb2d2031d7e35 reed turned, dark
  4d39fd428d0428d3 reed enlarged, light
  83ea565c19883194 reed enlarged, dark
  9c944667bd30e2ff reed mirrored, light
  e45e4f8596440495 reed mirrored, dark
  665f1814d71dbb8b reed skewed, light
  748cb5b912f3a6f3 reed skewed, dark
  e12e3590947fbf62 marker turned, light
  78f80acfa4d1783a marker turned, dark
  349ae616a21ffec6 marker enlarged, light
  f81e27d0a08c73b0 marker enlarged, dark
  e4db9f56403f9d08 marker mirrored, light
  8ce1982e8f1dfc0d marker mirrored, dark
  180e230d800d0092 marker skewed, light
  05068c1e10534e6e marker skewed, dark
  56415b71d42820df pencil turned, light
  2c42428ecd4ff40c pencil turned, dark
  97ce8b8a14f0c430 pencil enlarged, light
  a9dce5bb47859079 pencil enlarged, dark
  996a5c55075dc906 pencil mirrored, light
  6961a4c0ad279025 pencil mirrored, dark
  5308497006f86fb7 pencil skewed, light
  4aeebb59a0142ee3 pencil skewed, dark
  41b334047f7c7e79 crayon turned, light
  1fc8854f23a4a166 crayon turned, dark
  3f88d2d1eb1bd831 crayon enlarged, light
  f114ba14b8076bb7 crayon enlarged, dark
  8369064a7712f0aa crayon mirrored, light
  4c5f3dfbf32cf8ef crayon mirrored, dark
  b5201d1cc8a01df3 crayon skewed, light
  1f371ab75ed48fd5 crayon skewed, dark
  90b89226f44a0448 watercolor turned, light
  6a716033b5338900 watercolor turned, dark
  a903af9a1fc50a46 watercolor enlarged, light
  c9b1a672886bc239 watercolor enlarged, dark
  d793475eac6ae885 watercolor mirrored, light
  e75a3cbc146f88b0 watercolor mirrored, dark
  427df4dea2ebad6c watercolor skewed, light
  063e936d155ee807 watercolor skewed, dark
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
  a6272a1e232d828b crayon wet, light
  da976718788b3171 crayon wet, dark
  35c373b681b53dd7 watercolor wet, light
  47e446aed9a84293 watercolor wet, dark
  cd6dda2b184186c8 pen opacities, light
  4bf203d058be6170 pen opacities, dark
  12c28df561154558 monoline opacities, light
  adb86c3b84136a32 monoline opacities, dark
  cbe5d520282c7ecf fountainPen opacities, light
  d8206b3b8931f80d fountainPen opacities, dark
  0a5bb051fb747d83 reed opacities, light
  92ec56761c9f5974 reed opacities, dark
  96d6b0bc3d808474 marker opacities, light
  38d66a741dd46c3f marker opacities, dark
  dec303ba78bca695 pencil opacities, light
  a27cf6aced89a3c1 pencil opacities, dark
  7baf5ea5cc5d27df crayon opacities, light
  5fce04f6fa66cf7c crayon opacities, dark
  57c448b8a6c513d9 watercolor opacities, light
  2549a6f4a0283b2f watercolor opacities, dark
  ba468fef67d16709 pen threshold, light
  6f885f439efa5d11 pen threshold, dark
  752098ed35c35301 pencil threshold, light
  4c37b3ef2f47da98 pencil threshold, dark
  9e2769ec944e4899 reed threshold, light
  c36adc713b45c00c reed threshold, dark
  5fbc3520640949ec marker threshold, light
  7a678652b51db42e marker threshold, dark
  1399dbcf8074f1fc pen discard, light
  093efce4193db094 pen discard, dark
  f90bedb372eeaf4d fountainPen discard, light
  400ed65f37d3a122 fountainPen discard, dark
  e1b944a62e29d6a5 pencil discard, light
  51d378293cb08c3e pencil discard, dark
  66ca03916c68b259 marker discard, light
  de86cbeea6c38f4e marker discard, dark
  b98c25ed02b0a969 watercolor discard, light
  938fee6cf754852c watercolor discard, dark
  ab91e06b19293eea pen accumulate, light
  ee5124c7b12f0cee pen accumulate, dark
  a2fa68f8e922fac7 fountainPen accumulate, light
  d703d7b55f938fe3 fountainPen accumulate, dark
  593383b494561847 pencil accumulate, light
  ed568bb2a32276ee pencil accumulate, dark
  bd47baf4c57624a8 marker accumulate, light
  adb25f5501211ab6 marker accumulate, dark
  da19c2eda19acf61 watercolor accumulate, light
  a191277f8f29830b watercolor accumulate, dark
  bf0405763f553909 pen saturate, light
  de97d070dc211c1d pen saturate, dark
  9df8c0a01cd75b92 fountainPen saturate, light
  2c5bda42f9dc25ca fountainPen saturate, dark
  593383b494561847 pencil saturate, light
  ed568bb2a32276ee pencil saturate, dark
  bd47baf4c57624a8 marker saturate, light
  adb25f5501211ab6 marker saturate, dark
  da19c2eda19acf61 watercolor saturate, light
  a191277f8f29830b watercolor saturate, dark
  0accfc0f0b96e13b transparent background, light
  75a9602ceec4f522 transparent background, dark
  330e4cfc03fadcb6 green background, light
  55e8f21adde65c0c green background, dark
  58c57d8cd6a5105d translucent red background, light
  7fe67a059bc5dd76 translucent red background, dark
  dc875f35f1631916 coloured page, light
  bd66fb65bea4e6b0 coloured page, dark
  cefa7246c0ba6d6b lined paper, light
  aeb9caab403c9ae6 lined paper, dark
  98be8b18aca7c854 dotted, transparent background, light
  fcfcf60165170a18 dotted, transparent background, dark
  ef319946e501ef3d stored colours, light
  b64a265ddd63c571 stored colours, dark
  1865675cf5eda865 16 bits, light
  fb347db47d3114d8 16 bits, dark
  f725080766a05664 16 bits, transparent background, light
  ae670b99226ceec7 16 bits, transparent background, dark
  cbb59cad10f40df3 linear light, light
  1a221465369c05e6 linear light, dark
  3410241b147d4d26 linear light, transparent background, light
  7195690ff87d7942 linear light, transparent background, dark
  8f2881e4798b368d linear light, 16 bits, light
  cc02531b9bcfffcf linear light, 16 bits, dark
  cbb96ee513ccf70a Display P3, light
  67dbf5d2382c1246 Display P3, dark
  0a3c3c908c93f3e1 Display P3, linear light, 16 bits, light
  65fc140d19034608 Display P3, linear light, 16 bits, dark
  13d027388d589781 draft quality, light
  80412db40482bbd6 draft quality, dark
  1dea2b1ab549777d draft thumbnail, light
  4daf21f59c4c86bf draft thumbnail, dark
  ef319946e501ef3d normal quality, light
  b64a265ddd63c571 normal quality, dark
  f13024b687629013 normal thumbnail, light
  e9c03b1d7f095bd5 normal thumbnail, dark
  0dcb436427691dd0 fine quality, light
  90638e1249dea521 fine quality, dark
  cf0ce1e685a3fe19 fine thumbnail, light
  c28e733b0740d6fb fine thumbnail, dark
  88cdb17ba066a20d unknown ink, light
  4b39b9c8107be455 unknown ink, dark
  """
