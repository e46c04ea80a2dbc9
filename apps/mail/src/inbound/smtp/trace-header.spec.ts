import { describe, expect, it } from '@jest/globals';
import { traceHeader } from '../inbound-delivery.js';

const handover = {
  from: 'camille@correspondent.example',
  recipient: 'support@acme.test',
  helo: 'client.example',
  clientAddress: '192.0.2.1',
  protocol: 'ESMTP',
  serverName: 'mx.test',
  sessionId: 'abc',
  at: new Date('2026-01-02T03:04:05Z'),
};

describe('traceHeader', () => {
  it('names the return path, the way, the recipient and the time', () => {
    expect(traceHeader(handover)).toBe(
      'Return-Path: <camille@correspondent.example>\r\n' +
        'Received: from client.example ([192.0.2.1])\r\n' +
        '\tby mx.test with ESMTP id abc\r\n' +
        '\tfor <support@acme.test>; Fri, 02 Jan 2026 03:04:05 +0000\r\n',
    );
  });

  it('has an empty return path for a delivery report', () => {
    expect(traceHeader({ ...handover, from: '' })).toMatch(/^Return-Path: <>\r\n/);
  });

  it.each(['a (b) c', 'x;\r\nEvil: yes', '<script>', 'é', ''])(
    'lets the client name itself %j without a say in the header',
    (helo) => {
      const lines = traceHeader({ ...handover, helo }).split('\r\n');
      expect(lines).toHaveLength(5);
      expect(lines[1]).toMatch(/^Received: from [\w?.:]+ \(\[192\.0\.2\.1\]\)$/);
    },
  );
});
