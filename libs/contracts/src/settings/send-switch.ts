import { Flag } from '../fields/index.js';
import { Nothing } from '../inputs.js';
import { family, operation } from '../operation.js';

/** The global send switch of the workspace. */
export class SendSwitch {
  @Flag('Whether sending is allowed.')
  open!: boolean;
}

/** Input of the question. */
export class GetSendSwitch extends Nothing {}

/** Input of the change. */
export class SetSendSwitch extends SendSwitch {}

/** The send switch (public-api.md §5.7). */
export const sendSwitch = family(
  'access',
  'sendSwitch',
  {
    get: operation({
      http: 'GET /send-switch',
      effect: 'read',
      summary: 'Read the send switch',
      input: GetSendSwitch,
      output: SendSwitch,
    }),
    set: operation({
      http: 'PUT /send-switch',
      effect: 'write',
      summary: 'Open or close sending for the whole workspace',
      input: SetSendSwitch,
      output: SendSwitch,
    }),
  },
  { audience: 'member', admin: true },
);
