/** No function but a colour's: url(), image-set(), var() and expression() fetch or run things. */
const plainValue = /^(?:rgba?\(|hsla?\(|\)|[\w\s#%.,'"!+/-])*$/i;
/** Without a minus: a negative margin lays a message over the page around it. */
const lengths = /^[\w\s%.+]*$/;

// prettier-ignore
const plainProperties = [
  'color', 'background', 'background-color', 'opacity', 'direction', 'display', 'visibility',
  'font', 'font-family', 'font-size', 'font-style', 'font-variant', 'font-weight',
  'line-height', 'letter-spacing', 'word-spacing', 'word-break', 'word-wrap', 'white-space',
  'overflow-wrap', 'text-align', 'text-decoration', 'text-transform', 'vertical-align',
  'border', 'border-top', 'border-right', 'border-bottom', 'border-left', 'border-color',
  'border-style', 'border-width', 'border-radius', 'border-collapse', 'border-spacing',
  'list-style-type', 'table-layout', 'float', 'clear',
];
// prettier-ignore
const lengthProperties = [
  'margin', 'margin-top', 'margin-right', 'margin-bottom', 'margin-left', 'text-indent',
  'padding', 'padding-top', 'padding-right', 'padding-bottom', 'padding-left',
  'width', 'height', 'max-width', 'max-height', 'min-width', 'min-height',
];

/** The inline styles a message keeps: text, boxes and tables; nothing positioned, nothing loaded. */
export const allowedStyles: Record<string, Record<string, RegExp[]>> = {
  '*': {
    ...Object.fromEntries(plainProperties.map((property) => [property, [plainValue]])),
    ...Object.fromEntries(lengthProperties.map((property) => [property, [lengths]])),
  },
};
