import { describe, expect, it } from '@jest/globals';
import { limits } from './limits.js';
import { sanitiseHtml } from './sanitise-html.js';

describe('sanitiseHtml', () => {
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
