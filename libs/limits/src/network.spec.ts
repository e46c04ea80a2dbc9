import { describe, expect, it } from '@jest/globals';
import { networkOwners } from './network.js';

describe('the network of a client', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7', '192.0.2'],
    ['::ffff:192.0.2.7', '192.0.2.7', '192.0.2'],
    ['::FFFF:192.0.2.7', '192.0.2.7', '192.0.2'],
    ['2001:db8:0:1:2:3:4:5', '2001:db8:0:1', '2001:db8:0'],
    ['2001:0DB8:0000:0001::9', '2001:db8:0:1', '2001:db8:0'],
    ['2001:db8::1', '2001:db8:0:0', '2001:db8:0'],
    ['fe80::1%eth0', 'fe80:0:0:0', 'fe80:0:0'],
    ['::1', '0:0:0:0', '0:0:0'],
    ['64:ff9b::192.0.2.7', '64:ff9b:0:0', '64:ff9b:0'],
    ['1::', '1:0:0:0', '1:0:0'],
  ])('of %s is %s, its site %s', (address, network, site) => {
    expect(networkOwners(address)).toEqual({ network, site });
  });
});
