import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  checksBeforeBody,
  requireMailbox,
  type KeyCaller,
  type MemberCaller,
} from '@postroom/access';
import { invalidField, Problem } from '@postroom/contracts';
import { canonicalJson, type Preview } from '@postroom/operations';
import { KeyAuthentication } from '../authentication/key-authentication.js';
import { decodedInput } from '../invocation/invoker.js';
import { ServiceCalls } from '../invocation/service-calls.js';
import type { ApprovalRow } from './approval-rows.js';
import { operationOf } from './approval.view.js';

/** A write as a member has changed it, and what it would do. */
export interface ChangedWrite {
  /** Canonical JSON. */
  readonly payload: string;
  readonly payloadHash: string;
  readonly preview: Preview;
}

/**
 * Judges what members make of writes before they approve them: as when a write is filed, in the agent's name, and in the
 * member's own, since a member who changes a write is its author too.
 */
@Injectable()
export class ChangedWrites {
  constructor(
    private readonly keys: KeyAuthentication,
    private readonly calls: ServiceCalls,
  ) {}

  /**
   * @throws Problem INVALID_REQUEST for another mailbox or target, or an input that is wrong; what the write would
   * be refused with, to the agent or to the member
   */
  async judged(
    row: ApprovalRow,
    payload: object,
    { requestId, ...by }: { readonly caller: MemberCaller; readonly requestId: string },
  ): Promise<ChangedWrite> {
    const operation = operationOf(row);
    const input = inputOf(row, payload);
    const key = await this.keys.known(row.keyId);
    if (!key?.alive) throw new Problem('APPROVAL_NOT_FOUND');
    const caller: KeyCaller = { ...key.caller, source: row.channel === 'mcp' ? 'mcp' : 'api' };
    const { idempotencyKey } = row;
    const { sendOpen } = key;
    for (const check of checksBeforeBody) check({ operation, caller, idempotencyKey, sendOpen });
    if ('mailbox' in input) requireMailbox(operation, caller, String(input.mailbox));
    const asked = { operation, caller, input, requestId, preview: true };
    await this.calls.make({ ...asked, ...by });
    const reply = await this.calls.make(asked);
    const preview = JSON.parse(reply.body.toString()) as Preview;
    requireSamePlace(row, preview);
    const text = canonicalJson(input);
    return { payload: text, payloadHash: hash('sha256', text), preview };
  }
}

/** Refuses another target, and another mailbox, book or calendar to be in. */
function requireSamePlace(
  { targetId, withinType, withinId }: ApprovalRow,
  { target, within }: Preview,
): void {
  if ((target?.id ?? null) !== targetId) throw ofAnother('', 'target', 'cible');
  const { type, id } = within ?? { type: null, id: null };
  if (type !== withinType || id !== withinId) throw ofAnother('', 'place', 'lieu');
}

/** The decoded input: all of the payload, in the place that was filed. */
function inputOf(row: ApprovalRow, payload: object): object {
  const operation = operationOf(row);
  const filed = JSON.parse(row.payload) as Readonly<Record<string, unknown>>;
  const given = payload as Readonly<Record<string, unknown>>;
  const fixed = [...operation.fields.path, ...operation.fields.header].map(({ name }) => name);
  const placed: Record<string, unknown> = { ...given };
  for (const name of [...fixed, 'mailbox']) {
    if (Object.hasOwn(given, name) && canonicalJson(given[name]) !== canonicalJson(filed[name]))
      throw ofAnother(`.${name}`, name, name);
    if (Object.hasOwn(filed, name)) placed[name] = filed[name];
  }
  return decodedInput(operation, { body: placed }).input;
}

const ofAnother = (path: string, en: string, fr: string): Problem =>
  invalidField(
    `payload${path}`,
    `ce qui a été demandé garde sa valeur : ${fr}`,
    `what was asked for keeps its ${en}`,
  );
