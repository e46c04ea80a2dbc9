import { Buffer } from 'node:buffer';
import { describe, expect, it } from '@jest/globals';
import { parseMessage } from './parse-message.js';
import { visibleHtml } from './visible-html.js';

const textOf = async (html: string): Promise<string | null> => {
  const head = 'From: a@b.test\r\nContent-Type: text/html; charset=utf-8\r\n\r\n';
  const { text } = await parseMessage(Buffer.from(head + html));
  return text && text.replace(/\s+/g, ' ').trim();
};

describe('the text of a message in HTML', () => {
  it.each([
    '<p hidden>secret</p>',
    '<p style="position:absolute;left:-9999px">secret</p>',
    '<p style="text-indent:-9999px">secret</p>',
    '<p style="mso-hide:all">secret</p>',
    '<p style="transform:scale(0)">secret</p>',
    '<p style="clip-path:inset(100%)">secret</p>',
    '<p style="DISPLAY : NONE!important">secret</p>',
    '<p style="displ\\61y:none">secret</p>',
    '<p style="height:0;overflow:hidden">secret</p>',
    '<p style="opacity:0.01">secret</p>',
    '<p style="color:#fff;background:#fff">secret</p>',
    '<div style="font-size:0">secret<b>secret</b></div>',
    '<div hidden><p>secret<div>secret</div>secret</div>',
    '<div><span hidden>secret</div>',
    '<template>secret<template>secret</template></template>',
  ])('leaves out what %s hides', async (html) => {
    expect(await textOf(`<p>Hello</p>${html}<p>Camille</p>`)).toBe('Hello Camille');
  });

  it.each([
    '<div style="font-size:0px"><div style="font-size:13px">shown</div></div>',
    '<div style="display:block" class="hidden">shown</div>',
    '<p style="display:none"><p>shown',
    '<div><img hidden><br hidden>shown</div>',
    '<!-- <p hidden> -->shown',
    '<p title="<p hidden>">shown</p>',
  ])('has what %s shows', async (html) => {
    expect(await textOf(`<p>Hello</p>${html}`)).toBe('Hello shown');
  });

  it('is read of the message as it came, and no further than it is kept', () => {
    expect(visibleHtml('<p>Hello</p>')).toBe('<p>Hello</p>');
    expect(visibleHtml('<p>a<i style="display:none">b<i>c</i></i>d</p>e')).toBe('<p>ad</p>e');
    expect(visibleHtml('<b>a</b><p hidden>never closed')).toBe('<b>a</b>');
  });

  it('takes time that grows with the size alone', () => {
    const shown = 'x'.repeat(200_000);
    for (const worst of [
      '<p hidden>x</p>'.repeat(60_000),
      '<i hidden>'.repeat(90_000),
      '<b style="font-size:0">x<i style="font-size:9px">y</i></b>'.repeat(15_000),
    ]) {
      const before = process.cpuUsage();
      visibleHtml(`${shown}${worst}`);
      const { user, system } = process.cpuUsage(before);
      expect((user + system) / 1000).toBeLessThan(2_500);
    }
  });
});
