import { type Command, type CommandLine, UsageError } from '../run-command.js';
import {
  approvalStates,
  type ApprovalAnswer,
  type ApprovalPage,
  type ApprovalRequest,
} from '@postroom/contracts';
import { SetupError } from '@postroom/local';
import { ApproverSession, SettingsRefusal } from './approver-session.js';
import { approvalLine, approvalLines, visibleText } from './render-approval.js';

const where = '--url URL --as ADDRESS';

/** Lists what agents have asked for. */
export const listApprovals: Command = {
  words: ['approvals', 'list'],
  usage: `postroom approvals list ${where} [--state STATE]
    Prints the writes of agents that wait for a decision, newest first; with --state those in another
    state (${approvalStates.join(', ')}).
    The password is asked for, or taken from POSTROOM_PASSWORD; the session is kept in
    ~/.postroom-sessions.json (POSTROOM_SESSION_FILE), which its owner alone can read.`,
  async run(line) {
    const { session, rest } = begin(line);
    const { state = 'pending' } = line.options;
    if (rest.length > 0) throw new UsageError(`What is ${visibleText(rest.join(' '))}?`);
    if (!approvalStates.some((one) => one === state)) {
      const states = approvalStates.join(', ');
      throw new UsageError(`There is no state ${visibleText(state)}: --state is one of ${states}.`);
    }
    const page = await session.call<ApprovalPage>('GET', `/approvals?limit=100&state=${state}`);
    if (page.items.length === 0) return [`No approval is ${state}.`];
    return [
      ...page.items.map(approvalLine),
      ...(page.nextPageToken === null ? [] : ['There are more.']),
    ];
  },
};

/** Shows one, with what it would change. */
export const showApproval: Command = {
  words: ['approvals', 'show'],
  usage: `postroom approvals show ID ${where}
    Prints what an agent has asked for, and what it would change, field by field. Characters that cannot
    be seen are spelt out.`,
  async run(line) {
    const { session, id } = beginWith(line);
    const { approval } = await session.call<ApprovalAnswer>('GET', `/approvals/${id}`);
    return approvalLines(approval);
  },
};

/** Approves one: the write is executed. */
export const approve: Command = {
  words: ['approvals', 'approve'],
  usage: `postroom approvals approve ID ${where} [--comment TEXT]
    Approves a write, and prints what came of it.`,
  run: (line) => decide(line, 'approve'),
};

/** Rejects one: the write is never executed. */
export const reject: Command = {
  words: ['approvals', 'reject'],
  usage: `postroom approvals reject ID ${where} --comment TEXT
    Rejects a write; the agent is told why.`,
  run: (line) => {
    if (line.options['comment'] === undefined)
      throw new UsageError('A rejection needs a reason for the agent: --comment TEXT.');
    return decide(line, 'reject');
  },
};

async function decide(line: CommandLine, verb: 'approve' | 'reject'): Promise<readonly string[]> {
  const { session, id } = beginWith(line);
  const { comment } = line.options;
  const body = comment === undefined ? {} : { comment };
  try {
    const path = `/approvals/${id}/${verb}`;
    const { approval } = await session.call<ApprovalAnswer>('POST', path, body);
    return outcome(approval);
  } catch (error) {
    const decided = error instanceof SettingsRefusal ? decidedIn(error.body) : undefined;
    if (!decided) throw error;
    throw new SetupError([`Nothing was done: ${why(decided)}.`, ...outcome(decided)].join('\n'));
  }
}

function why({ state, decidedBy }: ApprovalRequest): string {
  if (decidedBy !== null) return 'it is decided already';
  return state === 'expired' ? 'it has expired' : `it is ${state}`;
}

const decidedIn = (body: object): ApprovalRequest | undefined =>
  'approval' in body ? (body.approval as ApprovalRequest) : undefined;

const outcome = (approval: ApprovalRequest): readonly string[] => [
  approvalLine(approval),
  ...(approval.result ? [`answer ${approval.result.status}`] : []),
  ...(approval.receipt === null ? [] : [`receipt ${approval.receipt}`]),
];

function beginWith(line: CommandLine): { session: ApproverSession; id: string } {
  const { session, rest } = begin(line);
  const [id, ...more] = rest;
  if (id === undefined) throw new UsageError('Which approval? Its ID is missing.');
  if (more.length > 0) throw new UsageError(`What is ${visibleText(more.join(' '))}?`);
  return { session, id: encodeURIComponent(id) };
}

function begin({ rest, options, env }: CommandLine) {
  const { url = '', as: email = '' } = options;
  if (email === '') throw new UsageError('Who decides? --as ADDRESS is missing.');
  if (!URL.canParse(url)) throw new UsageError('Where is Postroom? --url is missing or no URL.');
  return { session: new ApproverSession({ url: new URL(url).origin, email, env }), rest };
}

/** Deciding about writes of agents, until there is a console. */
export const approvalCommands: readonly Command[] = [listApprovals, showApproval, approve, reject];
