import { approvalStates, GetFiledApproval, type ApprovalState } from './approvals.js';
import {
  Count,
  Flag,
  Instant,
  JsonObject,
  ListOf,
  MailboxName,
  OneOf,
  Part,
  Text,
} from './fields/index.js';
import { UsableBook } from './lists.js';
import { family, operation } from './operation.js';
import { Nothing } from './inputs.js';
import { refusalRules, type RefusalRule } from './coded-refusal.js';

/** A text for people, in the languages of the surfaces. */
export class InvocationText {
  @Text('French.', { max: 1000 })
  fr!: string;

  @Text('English.', { max: 1000 })
  en!: string;
}

/** A fault of the input. */
export class InvocationFault {
  @Text('Dotted path of the field; empty for the input as a whole.', { max: 200 })
  field!: string;

  @Part(() => InvocationText, 'What was expected there.')
  message!: InvocationText;
}

/** The mailbox that a call must reach. */
export class ReachedMailbox {
  @MailboxName('The mailbox.')
  mailbox!: string;
}

/** Input of a call through the gateway. */
export class InvokeOperation {
  @Text('Id of the operation.', { max: 100 })
  operation!: string;

  @JsonObject('Its input: the fields of path, query and body side by side, not yet validated.')
  input!: Readonly<Record<string, unknown>>;

  @Text('As the `Idempotency-Key` of a request.', { max: 1000, optional: true })
  idempotencyKey?: string;

  @Flag(
    'The key was made of the call itself: once it has ended, the same call may be meant anew.',
    {
      optional: true,
    },
  )
  keyIsDerived?: boolean;

  @JsonObject(
    'A mailbox that the key must be able to read, though the operation itself has none: `{ mailbox }`.',
    { optional: true },
  )
  reaching?: Readonly<Record<string, unknown>>;

  @ListOf(() => InvocationFault, 'What the caller has found wrong with the input already.', {
    max: 20,
    optional: true,
  })
  faults?: InvocationFault[];

  @Text('What was called, for the audit: the name of a tool.', { max: 100, optional: true })
  tool?: string;

  @Text('The program that asks, as it names itself: nobody vouches for it.', {
    max: 200,
    optional: true,
  })
  client?: string;
}

/** Input of a record of a call that no operation stands for. */
export class RecordRefusedCall {
  @Text(
    'What was called: a name that no tool has, or a tool that was not offered, with its scope.',
    { max: 100 },
  )
  tool!: string;
}

/** Why a call was refused. */
export class InvocationProblem {
  @Text('Code of the catalogue of problems.', { max: 60 })
  code!: string;

  @OneOf(refusalRules, 'The check that refused.')
  rule!: RefusalRule;

  @ListOf(() => InvocationFault, 'The fields at fault.', { max: 20 })
  violations!: InvocationFault[];

  @JsonObject('What the refusal says beside its code.')
  fields!: Readonly<Record<string, unknown>>;
}

/** The outcome of a call: what the same request would be answered over HTTP. */
export class InvocationAnswer {
  @Count('Status of the answer.', { min: 200, max: 599 })
  status!: number;

  @JsonObject('Headers of the answer.')
  headers!: Readonly<Record<string, unknown>>;

  @JsonObject('Body of a success, or of a filing for approval (202).', { nullable: true })
  body!: Readonly<Record<string, unknown>> | null;

  @Part(() => InvocationProblem, 'The refusal; null of a success.', { nullable: true })
  problem!: InvocationProblem | null;
}

/** Input of asking what became of a call that was filed for approval, by the approval's id. */
export class GetFiledCall extends GetFiledApproval {}

/** Input of withdrawing one. */
export class WithdrawFiledCall extends GetFiledApproval {}

/** A call that was filed for approval. */
export class FiledCall {
  @Text('The operation that it would be.', { max: 100 })
  operation!: string;

  @OneOf(approvalStates, 'How far its approval has got.')
  state!: ApprovalState;

  @Instant('When it was filed.')
  createdAt!: string;

  @Instant('When it was decided or closed, or, before that, filed.')
  updatedAt!: string;

  @Part(() => InvocationAnswer, 'What the call was answered; null while it is open.', {
    nullable: true,
  })
  answer!: InvocationAnswer | null;
}

/** The facts of a workspace that an agent needs before it asks for anything. */
export class Introduction {
  @Text('Time zone of the workspace.', { max: 60 })
  timeZone!: string;

  @ListOf(() => UsableBook, 'The first address books; empty where the key reads no contacts.', {
    max: 20,
  })
  addressBooks!: UsableBook[];
}

/** Internal header: when the write that a repeated call is answered with was done. */
export const doneAtHeader = 'x-svc-done-at';

/** Requests of services to the gateway, in the name of a key that it has authenticated. */
export const invocations = family(
  'access',
  'access',
  {
    invoke: operation({
      http: 'POST /services/access/invoke',
      effect: 'intake',
      summary: 'Call an operation of the public API in the name of a key',
      description:
        'The key is read again; scope, member, Idempotency-Key, input, mailbox and approval are ' +
        'checked as for a request over HTTP. Every outcome is an answer of this operation.',
      input: InvokeOperation,
      output: InvocationAnswer,
      calledBy: 'mcp',
      // The secret that an agent chooses for its webhook.
      confidential: true,
      deadlineMs: 15_000,
    }),
    introduce: operation({
      http: 'GET /services/access/introduction',
      summary: 'Tell a service what the agent of a key has to know of its workspace',
      output: Introduction,
      calledBy: 'mcp',
    }),
    filedCall: operation({
      http: 'GET /services/access/filed-call',
      summary: 'Tell what became of a call that the key has filed for approval',
      input: GetFiledCall,
      output: FiledCall,
      calledBy: 'mcp',
      problems: ['APPROVAL_NOT_FOUND'],
    }),
    withdraw: operation({
      http: 'POST /services/access/withdraw-filed-call',
      effect: 'intake',
      summary: 'Withdraw a call that the key has filed, unless it was decided already',
      input: WithdrawFiledCall,
      output: Nothing,
      calledBy: 'mcp',
      problems: ['APPROVAL_NOT_FOUND'],
    }),
    recordRefused: operation({
      http: 'POST /services/access/record-refused-call',
      effect: 'intake',
      summary: 'Record in the audit a call of a tool that there is not, or that was not offered',
      input: RecordRefusedCall,
      output: Nothing,
      calledBy: 'mcp',
    }),
  },
  { audience: 'service' },
);
