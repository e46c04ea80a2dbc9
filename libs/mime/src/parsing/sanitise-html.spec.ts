import { describe, expect, it } from '@jest/globals';
import sanitizeHtml from 'sanitize-html';
import { limits } from './limits.js';
import { sanitiseHtml } from './sanitise-html.js';

const payloads = [
  '<script>alert(1)</script>',
  '<SCRIPT SRC=//evil.test/x.js></SCRIPT>',
  '<scr<script>ipt>alert(1)</scr</script>ipt>',
  '<<script>alert(1)//<</script>',
  '<img src=x onerror=alert(1)>',
  '<img src="x" ONERROR="alert(1)" alt=`">',
  '<img/src/onerror=alert(1)>',
  '<img src=`javascript:alert(1)`>',
  '<img """><script>alert(1)</script>">',
  '<img src="cid:x" onload=alert(1) style="x" srcset="javascript:alert(1)">',
  '<img data-remote-src="javascript:alert(1)">',
  '<img src="data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9ImFsZXJ0KDEpIj4=">',
  '<img src="data:text/html,<script>alert(1)</script>">',
  '<body onload=alert(1)><p onclick="alert(1)">x</p>',
  '<a href="javascript:alert(1)">x</a>',
  '<a href="JaVaScRiPt:alert(1)">x</a>',
  '<a href="java\tscript:alert(1)">x</a>',
  '<a href="java&#10;script&colon;alert(1)">x</a>',
  '<a href="&#x6A&#x61&#x76&#x61&#x73&#x63&#x72&#x69&#x70&#x74:alert(1)">x</a>',
  '<a href=" \u0001javascript:alert(1)">x</a>',
  '<a href="vbscript:msgbox(1)">x</a>',
  '<a href="data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==">x</a>',
  '<a href="/settings/api/session" id="x" name="y" class="z" target=_self>x</a>',
  '<a href="https://ok.test/" onmouseover=alert(1) ping="https://evil.test">x</a>',
  '<iframe src="javascript:alert(1)"></iframe>',
  '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
  '<object data="javascript:alert(1)"></object><embed src="javascript:alert(1)">',
  '<form action="https://evil.test"><input name=a autofocus onfocus=alert(1)><button formaction="javascript:alert(1)">x</button></form>',
  '<svg onload=alert(1)><script>alert(1)</script></svg>',
  '<svg><a xlink:href="javascript:alert(1)"><text>x</text></a></svg>',
  '<svg><animate attributeName=href values="javascript:alert(1)"/></svg>',
  '<math><mtext><table><mglyph><style><img src=x onerror=alert(1)></style></mglyph></table></mtext></math>',
  '<math href="javascript:alert(1)">x</math>',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>"></noscript>',
  '<textarea><p title="</textarea><img src=x onerror=alert(1)>"></textarea>',
  '<title><p title="</title><img src=x onerror=alert(1)>"></title>',
  '<xmp><p title="</xmp><img src=x onerror=alert(1)>"></xmp>',
  '<plaintext><img src=x onerror=alert(1)>',
  '<template><img src=x onerror=alert(1)></template>',
  '<style>@import "https://evil.test/x.css"; body{background:url(javascript:alert(1))}</style>',
  '<link rel=stylesheet href="https://evil.test/x.css">',
  '<meta http-equiv="refresh" content="0;url=javascript:alert(1)">',
  '<base href="https://evil.test/">',
  '<p style="background:url(https://evil.test/x.png)">x</p>',
  '<p style="width:expression(alert(1));behavior:url(x.htc)">x</p>',
  '<p style="-moz-binding:url(https://evil.test/x.xml#a);color:r\\65 d">x</p>',
  '<p style="position:fixed;top:0;left:0;z-index:9999;margin-top:-999px">x</p>',
  '<p style="background-image:image-set(\'https://evil.test/x\' 1x);color:var(--x)">x</p>',
  '<p style="color:red&quot; onclick=&quot;alert(1)">x</p>',
  '<div style="color:red;}</style><script>alert(1)</script>">x</div>',
  '<table background="javascript:alert(1)"><tr><td background="https://evil.test/x">x</td></tr></table>',
  '<marquee onstart=alert(1)>x</marquee><details open ontoggle=alert(1)>x</details>',
  '<video poster="javascript:alert(1)"><source onerror=alert(1) src=x></video><audio src=x onerror=alert(1)>',
  '<!--[if IE]><script>alert(1)</script><![endif]--><!--><img src=x onerror=alert(1)>-->',
  '<![CDATA[<img src=x onerror=alert(1)>]]><?xml version="1.0"?><x onclick=alert(1)>',
  '<img src=x onerror=alert(1)//',
  '<p title="<img src=x onerror=alert(1)>">x</p>',
  '\0<scr\0ipt>alert(1)</scr\0ipt>',
];

const harmlessTags =
  /^(?:a|abbr|address|article|aside|b|bdi|bdo|big|blockquote|br|caption|center|cite|code|col|colgroup|data|dd|del|dfn|div|dl|dt|em|figcaption|figure|font|footer|h[1-6]|header|hgroup|hr|i|img|ins|kbd|li|main|mark|menu|nav|ol|p|pre|q|rb|rp|rt|rtc|ruby|s|samp|section|small|span|strike|strong|sub|sup|table|tbody|td|tfoot|th|thead|time|tr|tt|u|ul|var|wbr)$/;
const harmlessAttributes: Readonly<Record<string, RegExp>> = {
  href: /^(?:https?:\/\/|mailto:|tel:)/,
  src: /^(?:cid:|data:image\/(?:png|gif|jpe?g|webp|bmp|avif);base64,)/,
  'data-remote-src': /^https?:\/\//,
  style: /^(?!.*(?:url|expression|import|position|binding|behavior|image|var\(|\\|@|:\s*-))/i,
  target: /^_blank$/,
  rel: /^noopener noreferrer nofollow$/,
};
const inertAttributes =
  /^(?:align|alt|bgcolor|border|cellpadding|cellspacing|color|colspan|dir|face|height|lang|nowrap|reversed|rowspan|size|start|title|type|valign|width)$/;

/** Every element and attribute of an output, read again, that is not known to be harmless. */
function dangers(html: string): string[] {
  const found: string[] = [];
  const isKnown = (name: string, value: string) =>
    harmlessAttributes[name]?.test(value) ?? inertAttributes.test(name);
  sanitizeHtml(html, {
    allowedTags: false,
    allowedAttributes: false,
    allowVulnerableTags: true,
    onOpenTag: (tagName, attribs) => {
      if (!harmlessTags.test(tagName)) found.push(tagName);
      for (const [name, value] of Object.entries(attribs)) {
        if (!isKnown(name, value)) found.push(`${tagName} ${name}=${value}`);
      }
    },
  });
  return found;
}

describe('sanitiseHtml', () => {
  it.each(payloads)('leaves nothing that runs of %s', (payload) => {
    for (const source of [
      payload,
      `<table><tr><td>${payload}`,
      payload.repeat(2),
      `"'>${payload}`,
    ]) {
      const { html } = sanitiseHtml(source);
      expect(dangers(html)).toEqual([]);
      expect(html.replace(/"[^"]*"/g, '""')).not.toMatch(/<[^>]*\bon\w+\s*=/i);
      expect(html).not.toMatch(/<[^>]*(?:script|vbscript|data:text)\s*:/i);
      expect(html).not.toMatch(/<(?:!|\?|\/?(?:script|style|iframe|svg|math|form|input|object))/i);
      expect(sanitiseHtml(html).html).toBe(html);
    }
  });

  it('keeps what mail is made of', () => {
    const source =
      '<p style="color:#333;font-family:Arial, sans-serif">Hi <b>you</b>, <a href="https://x.test/a?b=c">see</a></p><table width="600"><tr><td align="right">1</td></tr></table>';
    expect(sanitiseHtml(source)).toEqual({
      html: source
        .replace('?b=c"', '?b=c" target="_blank" rel="noopener noreferrer nofollow"')
        .replace('Arial, sans-serif', 'Arial, sans-serif'),
      hasRemoteContent: false,
      shownContentIds: new Set(),
    });
  });

  it('keeps images that came with the message and says which parts they are', () => {
    const { html, shownContentIds, hasRemoteContent } = sanitiseHtml(
      '<img src="CID:logo%40x"><img src="data:image/png;base64,AAAA">',
    );
    expect(html).toBe('<img src="cid:logo@x" /><img src="data:image/png;base64,AAAA" />');
    expect([...shownContentIds]).toEqual(['logo@x']);
    expect(hasRemoteContent).toBe(false);
  });

  it.each([
    ['<img src="https://t.test/p.gif">', '<img data-remote-src="https://t.test/p.gif" />'],
    ['<img src="//t.test/p.gif">', '<img data-remote-src="https://t.test/p.gif" />'],
    ['<img src="ht\ntp://t.test/p.gif">', '<img data-remote-src="http://t.test/p.gif" />'],
    ['<img srcset="https://t.test/p.gif 2x">', '<img />'],
    ['<table background="https://t.test/p.gif"></table>', '<table></table>'],
    ['<p style="background:url( \'https://t.test/p.gif\')">x</p>', '<p>x</p>'],
    ['<p style="background:url(&quot;https://t.test/p.gif&quot;)">x</p>', '<p>x</p>'],
    ['<p style="background:image-set(&#39;//t.test/p.gif&#39; 1x)">x</p>', '<p>x</p>'],
    ['<p style="background:\\75 RL(\\68ttps://t.test/p.gif)">x</p>', '<p>x</p>'],
    ['<svg><image href="https://t.test/p.gif"/></svg>', ''],
    ['<svg><image xlink:href="//t.test/p.gif"/></svg>', ''],
    ['<base href="https://t.test/"><img src="p.gif">', '<img />'],
    ['<style>@import url(//t.test/x.css)</style>', ''],
    ['<link rel="stylesheet" href="https://t.test/x.css">', ''],
    ['<iframe src="https://t.test/"></iframe>', ''],
  ])('loads nothing from afar and says so: %s', (source, html) => {
    expect(sanitiseHtml(source)).toMatchObject({ html, hasRemoteContent: true });
  });

  it('bounds its output and ends it outside of any tag', () => {
    for (const unit of ['"&<', '<b>x</b>', '<a href="https://x.test/">&</a>', '😀']) {
      const { html } = sanitiseHtml(unit.repeat(1_000_000));
      expect(html.length).toBeLessThanOrEqual(limits.htmlUnitsMax);
      expect(html.lastIndexOf('<')).toBeLessThanOrEqual(html.lastIndexOf('>'));
    }
  });

  it.each(['<div>', '<table><tr><td>', '<ul><li>a<ol><li>b', '<b></i>', '<svg><math>'])(
    'takes no time for deep nesting of %s',
    (unit) => {
      const begin = process.cpuUsage();
      sanitiseHtml(unit.repeat(200_000));
      expect(process.cpuUsage(begin).user).toBeLessThan(3_000_000);
    },
  );
});
