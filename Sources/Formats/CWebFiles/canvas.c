#include "files.h"

static const unsigned char canvas_served_mjs[] = {
#embed "../../Web/Canvas/canvas-served.mjs"
};
static const unsigned char canvas_words_mjs[] = {
#embed "../../Web/Canvas/canvas-words.mjs"
};
static const unsigned char canvas_worker_mjs[] = {
#embed "../../Web/Canvas/canvas-worker.mjs"
};
static const unsigned char canvas_css[] = {
#embed "../../Web/Canvas/canvas.css"
};
static const unsigned char canvas_mjs[] = {
#embed "../../Web/Canvas/canvas.mjs"
};
static const unsigned char clipboard_mjs[] = {
#embed "../../Web/Canvas/clipboard.mjs"
};
static const unsigned char colour_mjs[] = {
#embed "../../Web/Canvas/colour.mjs"
};
static const unsigned char controls_css[] = {
#embed "../../Web/Canvas/controls.css"
};
static const unsigned char dropper_mjs[] = {
#embed "../../Web/Canvas/dropper.mjs"
};
static const unsigned char easel_mjs[] = {
#embed "../../Web/Canvas/easel.mjs"
};
static const unsigned char hand_mjs[] = {
#embed "../../Web/Canvas/hand.mjs"
};
static const unsigned char ink_element_mjs[] = {
#embed "../../Web/Canvas/ink-element.mjs"
};
static const unsigned char interface_mjs[] = {
#embed "../../Web/Canvas/interface.mjs"
};
static const unsigned char marks_crayon_png[] = {
#embed "../../Web/Canvas/marks/crayon.png"
};
static const unsigned char marks_fountainPen_png[] = {
#embed "../../Web/Canvas/marks/fountainPen.png"
};
static const unsigned char marks_marker_png[] = {
#embed "../../Web/Canvas/marks/marker.png"
};
static const unsigned char marks_monoline_png[] = {
#embed "../../Web/Canvas/marks/monoline.png"
};
static const unsigned char marks_pen_png[] = {
#embed "../../Web/Canvas/marks/pen.png"
};
static const unsigned char marks_pencil_png[] = {
#embed "../../Web/Canvas/marks/pencil.png"
};
static const unsigned char marks_reed_png[] = {
#embed "../../Web/Canvas/marks/reed.png"
};
static const unsigned char marks_watercolor_png[] = {
#embed "../../Web/Canvas/marks/watercolor.png"
};
static const unsigned char memory_worker_mjs[] = {
#embed "../../Web/Canvas/memory-worker.mjs"
};
static const unsigned char nibs_mjs[] = {
#embed "../../Web/Canvas/nibs.mjs"
};
static const unsigned char overview_mjs[] = {
#embed "../../Web/Canvas/overview.mjs"
};
static const unsigned char pace_mjs[] = {
#embed "../../Web/Canvas/pace.mjs"
};
static const unsigned char paper_mjs[] = {
#embed "../../Web/Canvas/paper.mjs"
};
static const unsigned char picker_mjs[] = {
#embed "../../Web/Canvas/picker.mjs"
};
static const unsigned char png_mjs[] = {
#embed "../../Web/Canvas/png.mjs"
};
static const unsigned char ruler_mjs[] = {
#embed "../../Web/Canvas/ruler.mjs"
};
static const unsigned char selection_mjs[] = {
#embed "../../Web/Canvas/selection.mjs"
};
static const unsigned char shared_thread_mjs[] = {
#embed "../../Web/Canvas/shared-thread.mjs"
};
static const unsigned char source_mjs[] = {
#embed "../../Web/Canvas/source.mjs"
};
static const unsigned char tools_mjs[] = {
#embed "../../Web/Canvas/tools.mjs"
};
static const unsigned char view_mjs[] = {
#embed "../../Web/Canvas/view.mjs"
};

static const WebFile files[] = {
    ROW(canvas_served_mjs, "canvas-served.mjs"),
    ROW(canvas_words_mjs, "canvas-words.mjs"),
    ROW(canvas_worker_mjs, "canvas-worker.mjs"),
    ROW(canvas_css, "canvas.css"),
    ROW(canvas_mjs, "canvas.mjs"),
    ROW(clipboard_mjs, "clipboard.mjs"),
    ROW(colour_mjs, "colour.mjs"),
    ROW(controls_css, "controls.css"),
    ROW(dropper_mjs, "dropper.mjs"),
    ROW(easel_mjs, "easel.mjs"),
    ROW(hand_mjs, "hand.mjs"),
    ROW(ink_element_mjs, "ink-element.mjs"),
    ROW(interface_mjs, "interface.mjs"),
    ROW(marks_crayon_png, "marks/crayon.png"),
    ROW(marks_fountainPen_png, "marks/fountainPen.png"),
    ROW(marks_marker_png, "marks/marker.png"),
    ROW(marks_monoline_png, "marks/monoline.png"),
    ROW(marks_pen_png, "marks/pen.png"),
    ROW(marks_pencil_png, "marks/pencil.png"),
    ROW(marks_reed_png, "marks/reed.png"),
    ROW(marks_watercolor_png, "marks/watercolor.png"),
    ROW(memory_worker_mjs, "memory-worker.mjs"),
    ROW(nibs_mjs, "nibs.mjs"),
    ROW(overview_mjs, "overview.mjs"),
    ROW(pace_mjs, "pace.mjs"),
    ROW(paper_mjs, "paper.mjs"),
    ROW(picker_mjs, "picker.mjs"),
    ROW(png_mjs, "png.mjs"),
    ROW(ruler_mjs, "ruler.mjs"),
    ROW(selection_mjs, "selection.mjs"),
    ROW(shared_thread_mjs, "shared-thread.mjs"),
    ROW(source_mjs, "source.mjs"),
    ROW(tools_mjs, "tools.mjs"),
    ROW(view_mjs, "view.mjs"),
};

WebFiles webCanvasFiles(void) { return (WebFiles){files, sizeof files / sizeof *files}; }

// As for the player's engine.
#if __has_embed("../../../.build/web/canvas.wasm.gz")
static const unsigned char engine[] = {
#embed "../../../.build/web/canvas.wasm.gz"
};
WebFile webCanvasEngine(void) { return (WebFile)ROW(engine, "canvas.wasm"); }
#else
WebFile webCanvasEngine(void) { return (WebFile){"canvas.wasm", NULL, 0}; }
#endif
