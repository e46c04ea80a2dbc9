import { describe, expect, it } from '@jest/globals';
import { targetUrlFaults } from './subscriptions.js';

describe('the form of a target URL', () => {
  it.each([
    'https://hooks.example.com',
    'HTTPS://hooks.example.com:8443/in?x=1',
    'http://10.0.0.1/',
  ])('is right in %s', (url) => {
    expect(targetUrlFaults({ url })).toEqual([]);
  });

  it.each([
    ['ftp://hooks.example.com', 'https URL'],
    ['hooks.example.com', 'https URL'],
    ['https:hooks.example.com', 'https URL'],
    ['https:/hooks.example.com', 'https URL'],
    ['https://hooks.example.com:0/', 'https URL'],
    ['https://hooks.example.com:65536/', 'https URL'],
    ['https://256.1.1.1/', 'https URL'],
    ['https://hooks.example.com\\@127.0.0.1/', 'backslashes'],
    ['https://hooks.example.com/a b', 'spaces'],
    ['https://user@hooks.example.com/', 'user name'],
    ['https://@hooks.example.com/', 'user name'],
    ['https://hooks.example.com/#x', 'fragment'],
  ])('is refused in %s, with what was expected', (url, expected) => {
    const [fault] = targetUrlFaults({ url });
    expect(fault).toMatchObject({ field: 'url' });
    expect(fault?.message.en).toContain(expected);
  });
});
