import { describe, expect, it } from '@jest/globals';
import { deviceOf } from './device.js';

const mac =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko)';

describe('the device of a sign-in', () => {
  it.each([
    [`${mac} Chrome/140.0.0.0 Safari/537.36 Edg/140.0`, 'Microsoft Edge on macOS'],
    ['Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Windows'],
    ['curl/8.5.0', null],
    ['', null],
    ['('.repeat(16_000), null],
  ])('%.40s is %s', (userAgent, device) => {
    expect(deviceOf(userAgent)).toBe(device);
  });
});
