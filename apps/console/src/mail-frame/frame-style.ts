/** Styles below those of the mail: light paper in both schemes, since re-colouring breaks mail. */
export const frameStyle = `
html, body { height: auto !important; min-height: 0 !important; }
html { color-scheme: light; background: #fff; }
body { margin: 0; padding: 12px 16px; color: #1a1b1e; overflow-wrap: anywhere; overflow-x: auto;
  overflow-y: hidden; font: 14px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Open Sans", sans-serif; }
img { max-width: 100%; height: auto; }
img.postroom-blocked { display: inline-block; min-width: 16px; min-height: 16px;
  background: #f1f3f5; outline: 1px dashed #adb5bd; outline-offset: -1px; }
pre { white-space: pre-wrap; }
blockquote { margin: 8px 0; padding-left: 12px; border-left: 3px solid #ced4da; color: #495057; }
details.postroom-quote > summary { cursor: pointer; display: inline-block; padding: 0 8px; margin: 8px 0;
  border-radius: 8px; background: #f1f3f5; color: #495057; font-size: 12px; }
table { max-width: 100%; }
`;
