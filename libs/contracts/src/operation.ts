import type { CodedFamily, ProblemCode } from './problems.js';
import type { EventType } from './events.js';
import {
  bodyBytesMax,
  fieldsOf,
  type Dto,
  type Field,
  type JsonSchema,
  type Violation,
} from './fields/index.js';
import { Nothing } from './inputs.js';
import type { Scope } from './scopes.js';
import { gatewayService, type ServiceName } from './services.js';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * Callers of an operation: an API key, a signed-in member, a caller that presents credentials in the request,
 * or another service alone, over the bus: such an operation has no route.
 */
export type Audience = 'key' | 'member' | 'anyone' | 'service';

/** The three shapes of an error body: French text, stable family code, settings code. */
export type ErrorStyle = 'text' | 'codes' | 'settings';

type PathNames<P extends string> = P extends `${string}:${infer Name}/${infer Rest}`
  ? Name | PathNames<`/${Rest}`>
  : P extends `${string}:${infer Name}`
    ? Name
    : never;

/**
 * A `write` or `destroy` runs in one transaction that the engine opens. `intake` and `send` are handed a reading
 * context and write in units of work of their own, around slow work that must not hold a transaction.
 */
export type Effect = 'read' | 'write' | 'send' | 'destroy' | 'intake';

/** The effect of an operation that declares none, by its method. */
type EffectOf<H extends string> = H extends `GET ${string}`
  ? 'read'
  : H extends `DELETE ${string}`
    ? 'destroy'
    : 'write';

const effectOf: Readonly<Record<Method, Effect>> = {
  GET: 'read',
  DELETE: 'destroy',
  POST: 'write',
  PUT: 'write',
  PATCH: 'write',
};

/** Entries of an import in their order, each as base64; `-` for one that was too large, or cut short. */
export interface EntryBatch {
  readonly mediaType: string;
  /** The header of a table; else empty. */
  readonly header: string;
  readonly entries: string[];
  /** The place of each in the file, from 1: the header of a table does not count. */
  readonly places: number[];
  /** The part of a calendar file that is about time zones, as base64; else empty. */
  readonly zones: string;
  /** The workspace's zone (IANA). */
  readonly timeZone: string;
}

/** The step that takes the entries of a streamed body, batch by batch. */
export interface EntrySteps<I extends object = object> {
  readonly take: Operation;
  /** Its input, for a batch of an import of that input. */
  inputOf(input: I, batch: EntryBatch): object;
}

/** A text that the service reads or writes itself, and the schema that documents it. */
interface OwnText {
  readonly text: JsonSchema;
}

/** The media type of a `FileAnswer` that is always of the same one. */
interface OwnFile {
  readonly file: string;
}

/** A body of any length that the gateway reads as a stream. */
interface Upload<I extends object = object> {
  readonly mediaTypes: readonly string[];
  /** True where the body is one file, of whatever type it says. */
  readonly isFile?: boolean;
  /** The step that takes its entries, where it is made of them. */
  readonly entries?: EntrySteps<I>;
}

/** Form of a body: the input's fields, a text (the input's field `body`, whatever it says), or an upload. */
type RequestForm<I extends object = object> = 'json' | OwnText | Upload<I>;

/**
 * Form of the answer. `lines`: as NDJSON, or the `mediaType` of its first part, of any length: the operation
 * answers a part, `{ lines, after, mediaType? }`, and is called again with that `after` until it is null.
 * `steps`: the operation answers `{ ...answer, after }`, and is called again likewise; the last answer is sent,
 * without its `after`. A text: the body of a `FileAnswer` is passed on as it is.
 */
type AnswerForm = 'json' | 'lines' | 'steps' | OwnText | OwnFile;

interface Choices<E extends EventType, F extends Effect> {
  /** A GET reads, a DELETE destroys and the others write, when not said. */
  readonly effect?: F;
  readonly summary: string;
  /** Details that the summary and the fields have no room for; Markdown. */
  readonly description?: string;
  /** Event types the handler may emit; no other compiles. */
  readonly emits?: readonly E[];
  /** Refusals of the operation itself, beyond those every operation has. */
  readonly problems?: readonly ProblemCode[];
  /** Status of success. */
  readonly success?: 200 | 201 | 202;
  /** The resource that it is to create may exist already: it then answers 200 instead of 201. */
  readonly existing?: boolean;
  /** Access to the mailbox named by the input's `mailbox`. */
  readonly mailbox?: 'none' | 'read' | 'write';
  /** Needs a key attached to a member. */
  readonly member?: boolean;
  /** Administrators only (audience `member`). */
  readonly admin?: boolean;
  /**
   * The session that it takes (audience `member`): a whole one, also that of a member who has yet to enrol a second
   * factor (`enrolling`), or also one that waits for its second factor (`half`).
   */
  readonly session?: 'whole' | 'enrolling' | 'half';
  /** Asks that the member has proved who it is within 15 minutes (OWASP ASVS 5.0, V7.5.1). */
  readonly stepUp?: boolean;
  /** `any`: a key needs none for it. */
  readonly scope?: Scope | 'any';
  /** `send`: required, and kept by reservations of the operation's own, not by a recorded reply. */
  readonly idempotency?: 'none' | 'optional' | 'required' | 'send';
  /** Handling of a write by an approval-required agent key. */
  readonly approval?: 'eligible' | 'never' | 'hidden';
  readonly unknownFields?: 'refuse' | 'ignore';
  /**
   * The operation's name in the audit: its id when not said; another operation, which is done in steps and has
   * this one for its record; or null, for a step that has none of its own.
   */
  readonly audit?: string | null;
  /** A secret may be in it: it travels encrypted on the bus, and no copy of its answer is kept, not even for a repeat. */
  readonly confidential?: boolean;
  /** Bytes. */
  readonly bodyMax?: number;
  /** Deadline of the operation (10 s, `decisions.md` §11). */
  readonly deadlineMs?: number;
  readonly answer?: AnswerForm;
  /** A route that the specification does not list (`decisions.md`, "addition"). */
  readonly addition?: boolean;
  /** Sandboxes alone have its route. */
  readonly sandbox?: boolean;
  /** Speaks of a key (audience `key`): members have no such route (`decisions.md` §9). */
  readonly keysOnly?: boolean;
  /**
   * The service that calls it (audience `service`), and signs the caller with its own key: the gateway,
   * unless said otherwise.
   */
  readonly calledBy?: ServiceName;
}

export interface OperationDefinition<
  H extends string,
  I extends object,
  O extends object,
  E extends EventType,
  F extends Effect,
> extends Choices<E, F> {
  readonly http: H;
  /** `Nothing`, when not said; one of keys always says it, since its `operationId` is the name of the class. */
  readonly input?: Dto<I>;
  readonly output: Dto<O>;
  /** Faults of an input of sound fields that no field can see alone. */
  readonly rule?: Rule<NoInfer<I>>;
  readonly request?: RequestForm<NoInfer<I>>;
  /**
   * Faults of a sound input at a given time. Judged where the operation is done, after it has looked for a
   * repeat: an input that was right once is answered again as it was.
   */
  readonly timeRule?: TimeRule<NoInfer<I>>;
  /** True for a call that has an audit record: of something that is done in steps, the first one alone. */
  readonly isAudited?: Judgement<NoInfer<I>>;
}

type Judgement<I extends object> = { check(input: I): boolean }['check'];
type Rule<I extends object> = { check(input: I): readonly Violation[] }['check'];
type TimeRule<I extends object> = { check(input: I, at: Date): readonly Violation[] }['check'];

/** One operation, complete; every surface (route, OpenAPI, topic, audit, metric) is derived from it. */
export interface Operation<
  I extends object = object,
  O extends object = object,
  E extends EventType = EventType,
  F extends Effect = Effect,
> extends Required<Omit<Choices<E, F>, 'scope'>> {
  /** `family.name`: the operation's id on the bus, in audit lines and as metric label. */
  readonly id: string;
  readonly service: ServiceName;
  readonly family: string;
  readonly name: string;
  readonly audience: Audience;
  readonly errors: ErrorStyle;
  /** The family of stable codes that it answers, whatever its style; null for none. */
  readonly codes: CodedFamily | null;
  readonly method: Method;
  /** Relative to the audience's prefix, parameters as `:name`. */
  readonly path: string;
  readonly scope: Scope | 'any' | null;
  readonly input: Dto<I>;
  readonly output: Dto<O>;
  readonly rule: Rule<I> | null;
  readonly request: RequestForm<I>;
  /** The form of the request, where that is an upload. */
  readonly upload: Upload<I> | null;
  readonly timeRule: TimeRule<I> | null;
  /** Its input and answer travel encrypted on the bus: settings of members, and secrets. Mail alone travels in clear, as it is stored. */
  readonly encrypted: boolean;
  /** It may wait for a server outside (a deadline over 10 s): it has places of its own, and takes none from others. */
  readonly isLong: boolean;
  readonly isAudited: Judgement<I> | null;
  /** Fields given in headers, in the path, in the query, in the body. */
  readonly fields: {
    readonly header: readonly Field[];
    readonly path: readonly Field[];
    readonly query: readonly Field[];
    readonly body: readonly Field[];
  };
}

export type InputOf<R> = R extends Operation<infer I, object, EventType> ? I : never;
export type OutputOf<R> = R extends Operation<object, infer O, EventType> ? O : never;
export type EventsOf<R extends Operation> = R['emits'][number];

type PathsCovered<H extends string, I> = [PathNames<H>] extends [keyof I] ? unknown : never;

/**
 * Declares an operation. A path parameter that the input lacks does not compile.
 * `http` is `METHOD /path/:param`.
 */
export const operation = <
  const H extends `${Method} /${string}`,
  O extends object,
  I extends object = Nothing,
  F extends Effect = EffectOf<H>,
  E extends EventType = never,
>(
  definition: OperationDefinition<H, I, O, E, F> & PathsCovered<H, I>,
): OperationDefinition<H, I, O, E, F> => definition;

interface FamilyOptions {
  readonly audience?: Audience;
  /** Its stable error codes, where it answers codes. */
  readonly codes?: CodedFamily;
  /** Administrators only, unless an operation says otherwise. */
  readonly admin?: boolean;
}

type AnyDefinition = OperationDefinition<string, object, object, EventType, Effect>;

type OperationFrom<D> =
  D extends OperationDefinition<string, infer I, infer O, infer E, infer F>
    ? Operation<I, O, Listed<D['emits'], E>, F>
    : never;

/** Inference widens an absent list to every event type; an operation without a list emits nothing. */
type Listed<L, E> = [L] extends [readonly never[] | undefined] ? never : E;

/** A family of operations of one service; operations get their id, defaults and parameter places here. */
// `D` is held to `object` alone: a richer constraint would be the contextual type of each `operation`
// call and widen its event types.
export function family<const D extends Record<string, object>>(
  service: ServiceName,
  name: string,
  definitions: D,
  options: FamilyOptions = {},
): { readonly [K in keyof D]: OperationFrom<D[K]> } {
  const { audience = 'key', admin = false } = options;
  const { codes = null } = options;
  const errors = audience !== 'key' ? 'settings' : codes ? 'codes' : 'text';
  const place = { service, family: name, audience, errors, codes, admin } as const;
  const operations = Object.entries(definitions).map(([key, definition]) => [
    key,
    complete({ input: Nothing, ...(definition as AnyDefinition) }, { ...place, name: key }),
  ]);
  return Object.fromEntries(operations) as { readonly [K in keyof D]: OperationFrom<D[K]> };
}

type OperationIdentity = Pick<
  Operation,
  'service' | 'family' | 'name' | 'audience' | 'errors' | 'codes' | 'admin'
>;

/** The deadline of an operation that declares none. */
export const usualDeadlineMs = 10_000;

function complete(
  definition: AnyDefinition & Pick<Operation, 'input'>,
  place: OperationIdentity,
): Operation {
  const [method, path] = definition.http.split(' ') as [Method, string];
  const upload = uploadOf(definition);
  const inQuery = method === 'GET' || method === 'DELETE' || upload !== null;
  const fields = placesOf(fieldsOf(definition.input), path, inQuery);
  const effect = effectOf[method];
  const forKeys = (definition.effect ?? effect) !== 'read' && place.audience === 'key';
  return {
    description: '',
    emits: [],
    success: 200,
    mailbox: 'none',
    member: false,
    session: 'whole',
    stepUp: false,
    idempotency: forKeys ? 'optional' : 'none',
    approval: forKeys ? 'eligible' : 'never',
    unknownFields: 'refuse',
    confidential: false,
    bodyMax: bodyBytesMax,
    rule: null,
    timeRule: null,
    isAudited: null,
    deadlineMs: usualDeadlineMs,
    request: 'json',
    answer: 'json',
    addition: false,
    sandbox: false,
    keysOnly: false,
    calledBy: gatewayService,
    existing: false,
    effect,
    ...place,
    ...definition,
    id: `${place.family}.${place.name}`,
    encrypted: isEncrypted(definition, place),
    isLong: isLong(definition),
    audit: definition.audit === undefined ? `${place.family}.${place.name}` : definition.audit,
    scope: definition.scope ?? null,
    method,
    path,
    fields,
    upload,
    problems: [...(definition.problems ?? []), ...conflictsOf(fields)],
  };
}

const conflictsOf = ({ header }: Operation['fields']): readonly ProblemCode[] =>
  header.some((field) => field.header === 'If-Match') ? ['VERSION_CONFLICT'] : [];

const isLong = ({ deadlineMs = usualDeadlineMs }: AnyDefinition): boolean =>
  deadlineMs > usualDeadlineMs;

const isEncrypted = (
  { confidential = false }: AnyDefinition,
  { audience }: OperationIdentity,
): boolean => confidential || audience === 'member' || audience === 'anyone';

/** The place of each field of an input; one that is neither header nor path is in the query, or in the body. */
function placesOf(all: readonly Field[], path: string, inQuery: boolean): Operation['fields'] {
  const segments = path.split('/');
  const isInPath = ({ name }: Field): boolean => segments.includes(`:${name}`);
  const header = all.filter((field) => field.header !== undefined);
  const rest = all.filter((field) => !isInPath(field) && !header.includes(field));
  return {
    header,
    path: all.filter(isInPath),
    query: inQuery ? rest : [],
    body: inQuery ? [] : rest,
  };
}

const uploadOf = ({ request }: AnyDefinition): Upload | null =>
  typeof request === 'object' && 'mediaTypes' in request ? request : null;

/** The schema of a text that the service reads or writes itself; null for any other form. */
export const ownText = (form: RequestForm | AnswerForm): JsonSchema | null =>
  typeof form === 'object' && 'text' in form ? form.text : null;
