#include "files.h"

static const unsigned char account_css[] = {
#embed "../../Web/WebPages/Site/account.css"
};
static const unsigned char account_html[] = {
#embed "../../Web/WebPages/Site/account.html"
};
static const unsigned char account_mjs[] = {
#embed "../../Web/WebPages/Site/account.mjs"
};
static const unsigned char api_mjs[] = {
#embed "../../Web/WebPages/Site/api.mjs"
};
static const unsigned char base_css[] = {
#embed "../../Web/WebPages/Site/base.css"
};
static const unsigned char changes_mjs[] = {
#embed "../../Web/WebPages/Site/changes.mjs"
};
static const unsigned char checkin_css[] = {
#embed "../../Web/WebPages/Site/checkin.css"
};
static const unsigned char checkin_html[] = {
#embed "../../Web/WebPages/Site/checkin.html"
};
static const unsigned char checkin_mjs[] = {
#embed "../../Web/WebPages/Site/checkin.mjs"
};
static const unsigned char command_log_mjs[] = {
#embed "../../Web/WebPages/Site/command-log.mjs"
};
static const unsigned char company_mjs[] = {
#embed "../../Web/WebPages/Site/company.mjs"
};
static const unsigned char convert_mjs[] = {
#embed "../../Web/WebPages/Site/convert.mjs"
};
static const unsigned char device_mjs[] = {
#embed "../../Web/WebPages/Site/device.mjs"
};
static const unsigned char diary_css[] = {
#embed "../../Web/WebPages/Site/diary.css"
};
static const unsigned char diary_html[] = {
#embed "../../Web/WebPages/Site/diary.html"
};
static const unsigned char diary_mjs[] = {
#embed "../../Web/WebPages/Site/diary.mjs"
};
static const unsigned char draw_worker_mjs[] = {
#embed "../../Web/WebPages/Site/draw-worker.mjs"
};
static const unsigned char draw_css[] = {
#embed "../../Web/WebPages/Site/draw.css"
};
static const unsigned char draw_html[] = {
#embed "../../Web/WebPages/Site/draw.html"
};
static const unsigned char draw_mjs[] = {
#embed "../../Web/WebPages/Site/draw.mjs"
};
static const unsigned char drawing_css[] = {
#embed "../../Web/WebPages/Site/drawing.css"
};
static const unsigned char drawing_html[] = {
#embed "../../Web/WebPages/Site/drawing.html"
};
static const unsigned char drawing_mjs[] = {
#embed "../../Web/WebPages/Site/drawing.mjs"
};
static const unsigned char gallery_files_mjs[] = {
#embed "../../Web/WebPages/Site/gallery-files.mjs"
};
static const unsigned char gallery_selection_mjs[] = {
#embed "../../Web/WebPages/Site/gallery-selection.mjs"
};
static const unsigned char gallery_css[] = {
#embed "../../Web/WebPages/Site/gallery.css"
};
static const unsigned char gallery_html[] = {
#embed "../../Web/WebPages/Site/gallery.html"
};
static const unsigned char gallery_mjs[] = {
#embed "../../Web/WebPages/Site/gallery.mjs"
};
static const unsigned char icon_svg[] = {
#embed "../../Web/WebPages/Site/icon.svg"
};
static const unsigned char join_css[] = {
#embed "../../Web/WebPages/Site/join.css"
};
static const unsigned char join_html[] = {
#embed "../../Web/WebPages/Site/join.html"
};
static const unsigned char join_mjs[] = {
#embed "../../Web/WebPages/Site/join.mjs"
};
static const unsigned char keeper_mjs[] = {
#embed "../../Web/WebPages/Site/keeper.mjs"
};
static const unsigned char lineage_mjs[] = {
#embed "../../Web/WebPages/Site/lineage.mjs"
};
static const unsigned char manifest_webmanifest[] = {
#embed "../../Web/WebPages/Site/manifest.webmanifest"
};
static const unsigned char marks_drop1_png[] = {
#embed "../../Web/WebPages/Site/marks/drop1.png"
};
static const unsigned char marks_drop2_png[] = {
#embed "../../Web/WebPages/Site/marks/drop2.png"
};
static const unsigned char marks_drop3_png[] = {
#embed "../../Web/WebPages/Site/marks/drop3.png"
};
static const unsigned char marks_line_png[] = {
#embed "../../Web/WebPages/Site/marks/line.png"
};
static const unsigned char marks_wash_png[] = {
#embed "../../Web/WebPages/Site/marks/wash.png"
};
static const unsigned char members_mjs[] = {
#embed "../../Web/WebPages/Site/members.mjs"
};
static const unsigned char paper_menu_mjs[] = {
#embed "../../Web/WebPages/Site/paper-menu.mjs"
};
static const unsigned char passkeys_mjs[] = {
#embed "../../Web/WebPages/Site/passkeys.mjs"
};
static const unsigned char requests_mjs[] = {
#embed "../../Web/WebPages/Site/requests.mjs"
};
static const unsigned char room_document_mjs[] = {
#embed "../../Web/WebPages/Site/room-document.mjs"
};
static const unsigned char room_message_mjs[] = {
#embed "../../Web/WebPages/Site/room-message.mjs"
};
static const unsigned char room_mjs[] = {
#embed "../../Web/WebPages/Site/room.mjs"
};
static const unsigned char shared_mjs[] = {
#embed "../../Web/WebPages/Site/shared.mjs"
};
static const unsigned char sign_in_mjs[] = {
#embed "../../Web/WebPages/Site/sign-in.mjs"
};
static const unsigned char sw_js[] = {
#embed "../../Web/WebPages/Site/sw.js"
};
static const unsigned char sync_mjs[] = {
#embed "../../Web/WebPages/Site/sync.mjs"
};
static const unsigned char theme_js[] = {
#embed "../../Web/WebPages/Site/theme.js"
};
static const unsigned char vector_worker_mjs[] = {
#embed "../../Web/WebPages/Site/vector-worker.mjs"
};
static const unsigned char watch_worker_mjs[] = {
#embed "../../Web/WebPages/Site/watch-worker.mjs"
};
static const unsigned char watch_html[] = {
#embed "../../Web/WebPages/Site/watch.html"
};
static const unsigned char watch_mjs[] = {
#embed "../../Web/WebPages/Site/watch.mjs"
};
static const unsigned char welcome_html[] = {
#embed "../../Web/WebPages/Site/welcome.html"
};
static const unsigned char welcome_mjs[] = {
#embed "../../Web/WebPages/Site/welcome.mjs"
};
static const unsigned char words_mjs[] = {
#embed "../../Web/WebPages/Site/words.mjs"
};
static const unsigned char zip_mjs[] = {
#embed "../../Web/WebPages/Site/zip.mjs"
};

static const WebFile files[] = {
    ROW(account_css, "account.css"),
    ROW(account_html, "account.html"),
    ROW(account_mjs, "account.mjs"),
    ROW(api_mjs, "api.mjs"),
    ROW(base_css, "base.css"),
    ROW(changes_mjs, "changes.mjs"),
    ROW(checkin_css, "checkin.css"),
    ROW(checkin_html, "checkin.html"),
    ROW(checkin_mjs, "checkin.mjs"),
    ROW(command_log_mjs, "command-log.mjs"),
    ROW(company_mjs, "company.mjs"),
    ROW(convert_mjs, "convert.mjs"),
    ROW(device_mjs, "device.mjs"),
    ROW(diary_css, "diary.css"),
    ROW(diary_html, "diary.html"),
    ROW(diary_mjs, "diary.mjs"),
    ROW(draw_worker_mjs, "draw-worker.mjs"),
    ROW(draw_css, "draw.css"),
    ROW(draw_html, "draw.html"),
    ROW(draw_mjs, "draw.mjs"),
    ROW(drawing_css, "drawing.css"),
    ROW(drawing_html, "drawing.html"),
    ROW(drawing_mjs, "drawing.mjs"),
    ROW(gallery_files_mjs, "gallery-files.mjs"),
    ROW(gallery_selection_mjs, "gallery-selection.mjs"),
    ROW(gallery_css, "gallery.css"),
    ROW(gallery_html, "gallery.html"),
    ROW(gallery_mjs, "gallery.mjs"),
    ROW(icon_svg, "icon.svg"),
    ROW(join_css, "join.css"),
    ROW(join_html, "join.html"),
    ROW(join_mjs, "join.mjs"),
    ROW(keeper_mjs, "keeper.mjs"),
    ROW(lineage_mjs, "lineage.mjs"),
    ROW(manifest_webmanifest, "manifest.webmanifest"),
    ROW(marks_drop1_png, "marks/drop1.png"),
    ROW(marks_drop2_png, "marks/drop2.png"),
    ROW(marks_drop3_png, "marks/drop3.png"),
    ROW(marks_line_png, "marks/line.png"),
    ROW(marks_wash_png, "marks/wash.png"),
    ROW(members_mjs, "members.mjs"),
    ROW(paper_menu_mjs, "paper-menu.mjs"),
    ROW(passkeys_mjs, "passkeys.mjs"),
    ROW(requests_mjs, "requests.mjs"),
    ROW(room_document_mjs, "room-document.mjs"),
    ROW(room_message_mjs, "room-message.mjs"),
    ROW(room_mjs, "room.mjs"),
    ROW(shared_mjs, "shared.mjs"),
    ROW(sign_in_mjs, "sign-in.mjs"),
    ROW(sw_js, "sw.js"),
    ROW(sync_mjs, "sync.mjs"),
    ROW(theme_js, "theme.js"),
    ROW(vector_worker_mjs, "vector-worker.mjs"),
    ROW(watch_worker_mjs, "watch-worker.mjs"),
    ROW(watch_html, "watch.html"),
    ROW(watch_mjs, "watch.mjs"),
    ROW(welcome_html, "welcome.html"),
    ROW(welcome_mjs, "welcome.mjs"),
    ROW(words_mjs, "words.mjs"),
    ROW(zip_mjs, "zip.mjs"),
};

WebFiles webPageFiles(void) { return (WebFiles){files, sizeof files / sizeof *files}; }

// The compiler records embedded files as dependencies, but not missing ones. When the file appears,
// `WebEngine/build` therefore touches this source.
#if __has_embed("../../../.build/web/engine.wasm.gz")
static const unsigned char engine[] = {
#embed "../../../.build/web/engine.wasm.gz"
};
WebFile webPageEngine(void) { return (WebFile)ROW(engine, "engine.wasm"); }
#else
WebFile webPageEngine(void) { return (WebFile){"engine.wasm", NULL, 0}; }
#endif
