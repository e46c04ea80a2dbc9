import { describe, expect, it } from '@jest/globals';
import { routingAddress, withoutSubAddress } from './routing-address.js';

describe('routingAddress', () => {
  it.each([
    ['Support@ACME.Test', 'support@acme.test'],
    ['zoé@bücher.example', 'zoé@xn--bcher-kva.example'],
    ['zoe\u0301@xn--bcher-kva.example', 'zoé@xn--bcher-kva.example'],
    ['postmaster@[127.0.0.1]', 'postmaster@[127.0.0.1]'],
  ])('spells %s as %s', (address, expected) => {
    expect(routingAddress(address)).toBe(expected);
  });
});

describe('withoutSubAddress', () => {
  it.each([
    ['support+shop@acme.test', 'support@acme.test'],
    ['support+a+b@acme.test', 'support@acme.test'],
    ['support@acme.test', 'support@acme.test'],
    ['+x@acme.test', '+x@acme.test'],
    ['support@a+b.test', 'support@a+b.test'],
  ])('makes of %s %s', (address, expected) => {
    expect(withoutSubAddress(address)).toBe(expected);
  });
});
