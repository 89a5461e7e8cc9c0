#include "files.h"

static const unsigned char build_mjs[] = {
#embed "../Animation/Player/build.mjs"
};
static const unsigned char clock_mjs[] = {
#embed "../Animation/Player/clock.mjs"
};
static const unsigned char controls_mjs[] = {
#embed "../Animation/Player/controls.mjs"
};
static const unsigned char element_css[] = {
#embed "../Animation/Player/element.css"
};
static const unsigned char element_mjs[] = {
#embed "../Animation/Player/element.mjs"
};
static const unsigned char engine_mjs[] = {
#embed "../Animation/Player/engine.mjs"
};
static const unsigned char page_css[] = {
#embed "../Animation/Player/page.css"
};
static const unsigned char page_mjs[] = {
#embed "../Animation/Player/page.mjs"
};
static const unsigned char served_mjs[] = {
#embed "../Animation/Player/served.mjs"
};
static const unsigned char start_mjs[] = {
#embed "../Animation/Player/start.mjs"
};
static const unsigned char text_mjs[] = {
#embed "../Animation/Player/text.mjs"
};
static const unsigned char thread_mjs[] = {
#embed "../Animation/Player/thread.mjs"
};
static const unsigned char tokens_css[] = {
#embed "../Animation/Player/tokens.css"
};
static const unsigned char words_mjs[] = {
#embed "../Animation/Player/words.mjs"
};
static const unsigned char worker_mjs[] = {
#embed "../Animation/Player/worker.mjs"
};
static const unsigned char zoom_mjs[] = {
#embed "../Animation/Player/zoom.mjs"
};

static const WebFile files[] = {
    ROW(build_mjs, "build.mjs"),
    ROW(clock_mjs, "clock.mjs"),
    ROW(controls_mjs, "controls.mjs"),
    ROW(element_css, "element.css"),
    ROW(element_mjs, "element.mjs"),
    ROW(engine_mjs, "engine.mjs"),
    ROW(page_css, "page.css"),
    ROW(page_mjs, "page.mjs"),
    ROW(served_mjs, "served.mjs"),
    ROW(start_mjs, "start.mjs"),
    ROW(text_mjs, "text.mjs"),
    ROW(thread_mjs, "thread.mjs"),
    ROW(tokens_css, "tokens.css"),
    ROW(words_mjs, "words.mjs"),
    ROW(worker_mjs, "worker.mjs"),
    ROW(zoom_mjs, "zoom.mjs"),
};

WebFiles webPlayerFiles(void) { return (WebFiles){files, sizeof files / sizeof *files}; }

// The compiler records embedded files as dependencies, but not missing ones. When the file appears,
// `WebEngine/build` therefore touches this source.
#if __has_embed("../../../.build/web/player.wasm.gz")
static const unsigned char engine[] = {
#embed "../../../.build/web/player.wasm.gz"
};
WebFile webPlayerEngine(void) { return (WebFile)ROW(engine, "player.wasm"); }
#else
WebFile webPlayerEngine(void) { return (WebFile){"player.wasm", NULL, 0}; }
#endif
