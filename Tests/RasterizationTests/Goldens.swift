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
  776a282544d3810a reed ramp, light
  656c17ec04f87e69 reed ramp, dark
  3dbffeef548454b5 reed curve, light
  8da884249af0cbb7 reed curve, dark
  cc501d33b65dec7e reed loop, light
  e9dbfbaad887e7b8 reed loop, dark
  25b55c56c6a0a875 reed overlaps, light
  c22f3e236d33b893 reed overlaps, dark
  097356bbde9fec3d reed taps, light
  a79219e6fe081ef0 reed taps, dark
  2cff00269f8746a5 reed zigzag, light
  cb8b40f51bfb4f57 reed zigzag, dark
  0b5037ad8e6fb3a4 marker ramp, light
  eb0c0abb939867cc marker ramp, dark
  36d84248b926eaa3 marker curve, light
  4876a8f194dc29da marker curve, dark
  a0d8e971f5fd1bb3 marker loop, light
  ca74919a797e0b54 marker loop, dark
  c7bc2d6dc3083a8c marker overlaps, light
  2da9d39b7c32f0dc marker overlaps, dark
  5585fe3f919afdb5 marker taps, light
  137fb56ccb85fbe4 marker taps, dark
  ca5d14e55f1997ca marker zigzag, light
  b506871daa0cd53a marker zigzag, dark
  84ab8c81c638144c pencil ramp, light
  9854d6202d883b7c pencil ramp, dark
  9041711eadac6841 pencil curve, light
  1d35c66b9a1e6847 pencil curve, dark
  d03bf82bdb2a43a1 pencil loop, light
  0f8651eb59ffab0f pencil loop, dark
  1d92e5ed6483a0c3 pencil overlaps, light
  2c8feddbbd838482 pencil overlaps, dark
  355ae6fa397c2626 pencil taps, light
  c894356eb158e3bf pencil taps, dark
  6e400049dea077ce pencil zigzag, light
  43604d81edb36647 pencil zigzag, dark
  564f1ae3362f85c8 crayon ramp, light
  baf3d852f800c3f1 crayon ramp, dark
  79300c8e94c5547e crayon curve, light
  da49bb8b600b116c crayon curve, dark
  18be443b85f164b7 crayon loop, light
  491dadb681969038 crayon loop, dark
  219ae09cb4941d23 crayon overlaps, light
  f2e1b721c12da026 crayon overlaps, dark
  603f7959802232f0 crayon taps, light
  e124a92c6f25ad4e crayon taps, dark
  3c20d82bbbcbdad3 crayon zigzag, light
  f927a417ac2864ad crayon zigzag, dark
  c46cdcce18ef1052 watercolor ramp, light
  b55de7a5e1b72960 watercolor ramp, dark
  63a10c298e509256 watercolor curve, light
  9ca7e5ad3cd44470 watercolor curve, dark
  595256e297945be7 watercolor loop, light
  2bfb22915cc0c19c watercolor loop, dark
  a15608977d0c7cd6 watercolor overlaps, light
  b6ef4a2ae4065be0 watercolor overlaps, dark
  74ff4c0d45edcf3a watercolor taps, light
  c79ea911dabba3f0 watercolor taps, dark
  a4d50d69d8e195e5 watercolor zigzag, light
  ac87c83908c06acb watercolor zigzag, dark
  c1ea284c48e50f4e pen masked nonZero, light
  6be5ad49274e291e pen masked nonZero, dark
  c9ce04eeca9062f5 pen masked evenOdd, light
  d3ba693568446095 pen masked evenOdd, dark
  ade9e6d2fc4231b3 fountainPen masked nonZero, light
  9aab187048b6c0c1 fountainPen masked nonZero, dark
  3adb24644f15b61d fountainPen masked evenOdd, light
  1b23eb82e3fa98a1 fountainPen masked evenOdd, dark
  aabc6dd1361422d0 pencil masked nonZero, light
  078b53c369561658 pencil masked nonZero, dark
  f75a1eab4589b0a5 pencil masked evenOdd, light
  18675ad4931a4894 pencil masked evenOdd, dark
  7aeb82d22a5d6992 watercolor masked nonZero, light
  a8ec560f5d67b82b watercolor masked nonZero, dark
  5e97bd7626d8650d watercolor masked evenOdd, light
  041c76d23781b2dc watercolor masked evenOdd, dark
  d81cc089c5ac6cf6 pen parts, light
  5d39779bf3ac9dce pen parts, dark
  27216c2e925e2fbd monoline parts, light
  afc68661741b2010 monoline parts, dark
  87c45150acbca7ef fountainPen parts, light
  a33be9a9dc918995 fountainPen parts, dark
  01a114aa7fc628b8 reed parts, light
  db138baaaf07f46d reed parts, dark
  0c6c9bc82f49c457 marker parts, light
  23aa1f6cc207096d marker parts, dark
  2710e757e843740c pencil parts, light
  983b160d890811a7 pencil parts, dark
  5423b1f46e02a88e crayon parts, light
  d290146b58065a76 crayon parts, dark
  ea790ad94a175d08 watercolor parts, light
  b799d6f89e8874e1 watercolor parts, dark
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
  6fba63f71061f738 reed turned, light
  c99addb661fb1f9a reed turned, dark
  7ab1dc2744638f81 reed enlarged, light
  562896931b4e8b82 reed enlarged, dark
  fe2e63feb92218d1 reed mirrored, light
  7bacb37649f65463 reed mirrored, dark
  bfbc98e90d6efc91 reed skewed, light
  31a18b5e7ca004dd reed skewed, dark
  c7bc804bbd3236c3 marker turned, light
  69588c4d0026400a marker turned, dark
  4a07eff58ac7721e marker enlarged, light
  70caf1b77a7390ca marker enlarged, dark
  86cecafe479ddd47 marker mirrored, light
  33fade772da25002 marker mirrored, dark
  a78a84351fb4beb7 marker skewed, light
  d13dd5e774bdf5e8 marker skewed, dark
  f9944345bbdbb367 pencil turned, light
  a2fea83b90df8a6e pencil turned, dark
  a39a7a913e5dedfe pencil enlarged, light
  53f3bfe99a62eeb3 pencil enlarged, dark
  d62177bf39face27 pencil mirrored, light
  4d80e631c748e874 pencil mirrored, dark
  4be573525db4c0c8 pencil skewed, light
  c62e72b61873645f pencil skewed, dark
  06eb6f2a503b2af3 crayon turned, light
  be62d4eba5098a71 crayon turned, dark
  e1b9098a28a7d827 crayon enlarged, light
  28e286fe3da87366 crayon enlarged, dark
  c961a19c85f9417e crayon mirrored, light
  f668c27ea4c02960 crayon mirrored, dark
  b1729ac11769aec1 crayon skewed, light
  d7d06c027b3f0c0f crayon skewed, dark
  00495e5b90baba8b watercolor turned, light
  8178f4c04770d112 watercolor turned, dark
  9b0a5e2b31fd70a4 watercolor enlarged, light
  a77b070eb3454601 watercolor enlarged, dark
  ddc90010c0b12174 watercolor mirrored, light
  def27829bf87a2bd watercolor mirrored, dark
  5251d4f17ed07ded watercolor skewed, light
  2be0998a9aeb8490 watercolor skewed, dark
  642dfa6b07ac7010 pen wet, light
  d774ed1de3651688 pen wet, dark
  c230799818e9d0d5 monoline wet, light
  344c1305dfabef10 monoline wet, dark
  3e48d5b3736a52b2 fountainPen wet, light
  422e786789ae45ef fountainPen wet, dark
  7a118667fbe7f661 reed wet, light
  ec80503a37d78d2f reed wet, dark
  1c24c61d5b190166 marker wet, light
  7bb18433478974fb marker wet, dark
  322bf0d8c525c45d pencil wet, light
  c3ab9fd0700ea984 pencil wet, dark
  1f8ab00d4a3631a6 crayon wet, light
  79264afe3c73b824 crayon wet, dark
  c74b57e15126b0fc watercolor wet, light
  9c15925593d2ca19 watercolor wet, dark
  cd6dda2b184186c8 pen opacities, light
  4bf203d058be6170 pen opacities, dark
  12c28df561154558 monoline opacities, light
  adb86c3b84136a32 monoline opacities, dark
  cbe5d520282c7ecf fountainPen opacities, light
  d8206b3b8931f80d fountainPen opacities, dark
  c10303af647d1a67 reed opacities, light
  6648ba915b198e5c reed opacities, dark
  1666b2bc7566c023 marker opacities, light
  3631751f0eb5cd43 marker opacities, dark
  073c51a01ef7cef1 pencil opacities, light
  9ed55163811c3d22 pencil opacities, dark
  ace1d7f9847b1532 crayon opacities, light
  280d7dbaf3ece94f crayon opacities, dark
  53c08880c8443768 watercolor opacities, light
  b62229e35556cbac watercolor opacities, dark
  ba468fef67d16709 pen threshold, light
  6f885f439efa5d11 pen threshold, dark
  a9d08733ff17f701 pencil threshold, light
  f345f29cc01a6755 pencil threshold, dark
  3dbffeef548454b5 reed threshold, light
  8da884249af0cbb7 reed threshold, dark
  356f462d39f36493 marker threshold, light
  92279be494d74cff marker threshold, dark
  ddb9ac3f2b71e0e9 pen discard, light
  d71184eb2e07d483 pen discard, dark
  c34efa123a71ef1e fountainPen discard, light
  6468c3274b1bb9d8 fountainPen discard, dark
  b673c7910254e063 pencil discard, light
  ee23fe4fb78fa441 pencil discard, dark
  f5939610cf678267 marker discard, light
  508beea963d9bcaf marker discard, dark
  dfaf83700d9e943d watercolor discard, light
  d77bc507859dd128 watercolor discard, dark
  53237aca47d83bfd pen accumulate, light
  6bd092e5049330d4 pen accumulate, dark
  f34c62733206b92f fountainPen accumulate, light
  a7f092ca67373b1c fountainPen accumulate, dark
  15f9c0b82e812467 pencil accumulate, light
  7572fa803d365dc9 pencil accumulate, dark
  2aeb65710a246de2 marker accumulate, light
  36ac542c74d2d8c9 marker accumulate, dark
  948d8a7b098ef11c watercolor accumulate, light
  5ab0419203cc1c43 watercolor accumulate, dark
  d1e5436e2fec990e pen saturate, light
  6a704f389fd568d3 pen saturate, dark
  3f6564ad99197b6a fountainPen saturate, light
  60a46393cb7d3995 fountainPen saturate, dark
  15f9c0b82e812467 pencil saturate, light
  7572fa803d365dc9 pencil saturate, dark
  2aeb65710a246de2 marker saturate, light
  36ac542c74d2d8c9 marker saturate, dark
  948d8a7b098ef11c watercolor saturate, light
  5ab0419203cc1c43 watercolor saturate, dark
  21262613f5d24b1b transparent background, light
  0f0eff24cc26f150 transparent background, dark
  7e01426d91f1df86 green background, light
  48514a264f45c23d green background, dark
  c108a89da90370ef translucent red background, light
  aec206e3fbdf13c4 translucent red background, dark
  471b866a7c148d6c coloured page, light
  15edde8be09f737a coloured page, dark
  7d20f4d6b5eccbaa lined paper, light
  5c153383adde9d80 lined paper, dark
  39d021ecdb7d53cf dotted, transparent background, light
  d0d7400a190ecc99 dotted, transparent background, dark
  d378391253cff221 stored colours, light
  6da1d40d36d03b65 stored colours, dark
  4145db25897ae04a 16 bits, light
  d7f29a28171a743e 16 bits, dark
  1a005a303fcb8200 16 bits, transparent background, light
  634b32cb96d27d05 16 bits, transparent background, dark
  e6935d0090cdc9f6 linear light, light
  a0abe9ff68b53f65 linear light, dark
  62a8f5bb34d455ca linear light, transparent background, light
  99e5dc4da6345762 linear light, transparent background, dark
  34aec6e9c626b43b linear light, 16 bits, light
  f69c908f48961ea4 linear light, 16 bits, dark
  b38bdc426c46695b Display P3, light
  133bd54962479284 Display P3, dark
  8aee4e4cc91e409e Display P3, linear light, 16 bits, light
  c72afe274f31aa11 Display P3, linear light, 16 bits, dark
  6737a6275476ef05 draft quality, light
  731d7b1c37f4ffc4 draft quality, dark
  ad772eb05869a58a draft thumbnail, light
  c556087a65e800b8 draft thumbnail, dark
  d378391253cff221 normal quality, light
  6da1d40d36d03b65 normal quality, dark
  b98a41ef6fe132ca normal thumbnail, light
  3f690603ab534ae1 normal thumbnail, dark
  02b21367b4c6ca4f fine quality, light
  9ef5fe1e02ccffcd fine quality, dark
  e482679350eb2fab fine thumbnail, light
  785de90ccbd91002 fine thumbnail, dark
  88cdb17ba066a20d unknown ink, light
  4b39b9c8107be455 unknown ink, dark
  """
