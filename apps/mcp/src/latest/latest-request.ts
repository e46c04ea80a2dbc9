import { type FileAnswer, type HandleLatestMcpMessage, rpcCodes } from '@postroom/contracts';
import type { Reading } from '@postroom/operations';
import { namedVersions, toolsCall } from '../dispatcher.js';
import { RpcError, type RequestId } from '../json-rpc.js';
import { isRecord, type JsonObject } from '../json.js';

/** A request whose version, `_meta` and headers were checked. */
export interface LatestRequest {
  readonly context: Reading;
  readonly message: HandleLatestMcpMessage;
  readonly id: RequestId;
  readonly params: JsonObject;
  /** Capabilities of the client, as this request says. */
  readonly capabilities: JsonObject;
}

/** Resolves to a result, which is complete unless it says otherwise, or to an answer that is sent as it is. */
export type LatestMethod = (request: LatestRequest) => Promise<object | FileAnswer>;

/** Methods beside those of tools, and the capabilities and extensions that `server/discover` names for them. */
export interface MoreMethods {
  readonly methods: ReadonlyMap<string, LatestMethod>;
  readonly capabilities?: JsonObject;
  readonly extensions: JsonObject;
}

const latestVersion = '2026-07-28';

/** The older ones begin with `initialize`. */
export const supportedVersions: readonly string[] = [latestVersion, ...namedVersions];

const ofProtocol = 'io.modelcontextprotocol';
export const versionField = `${ofProtocol}/protocolVersion`;
const capabilitiesField = `${ofProtocol}/clientCapabilities`;

/** The parameter that the header `Mcp-Name` repeats. */
const namingParameters = new Map([
  [toolsCall, 'name'],
  ...['get', 'update', 'cancel'].map((method) => [`tasks/${method}`, 'taskId'] as const),
]);

export function metaOf({ params }: { readonly params?: unknown }): JsonObject {
  const meta = isRecord(params) ? params['_meta'] : undefined;
  return isRecord(meta) ? meta : {};
}

/**
 * The parameters of a request, and what its client can do.
 * @throws RpcError, with HTTP status 400, for a version that is not spoken, for `_meta` that lacks what is required, and
 * for a header that does not say what the body says: something between may have judged by it
 */
export function checkedRequest(
  fields: JsonObject,
  message: HandleLatestMcpMessage,
): { readonly params: JsonObject; readonly capabilities: JsonObject } {
  const meta = metaOf(fields);
  const { [versionField]: version, [capabilitiesField]: capabilities } = meta;
  const params = fields['params'];
  const header = message.protocolVersion;
  if (typeof version !== 'string') {
    if (header !== latestVersion) throw unsupported(header);
    throw refused('invalidParams', `\`params._meta\` must have \`${versionField}\`.`);
  }
  if (header !== version) throw mismatch('MCP-Protocol-Version', header, versionField);
  if (version !== latestVersion) throw unsupported(version);
  if (!isRecord(params) || !isRecord(capabilities))
    throw refused('invalidParams', `\`params._meta\` must have \`${capabilitiesField}\`.`);
  requireHeaders(message, fields['method'], params);
  return { params, capabilities };
}

function requireHeaders(
  { mcpMethod, mcpName }: HandleLatestMcpMessage,
  method: unknown,
  params: JsonObject,
): void {
  if (mcpMethod !== method) throw mismatch('Mcp-Method', mcpMethod, 'method');
  const naming = namingParameters.get(String(method));
  if (
    naming !== undefined &&
    typeof params[naming] === 'string' &&
    decoded(mcpName) !== params[naming]
  )
    throw mismatch('Mcp-Name', mcpName, `params.${naming}`);
}

const refused = (code: keyof typeof rpcCodes, text: string, data?: JsonObject): RpcError =>
  new RpcError(rpcCodes[code], text, data, 400);

const unsupported = (requested: string | undefined): RpcError =>
  refused('unsupportedVersion', 'This protocol version is not supported.', {
    supported: supportedVersions,
    requested: requested ?? '',
  });

const mismatch = (name: string, header: string | undefined, field: string): RpcError =>
  refused(
    'headerMismatch',
    header === undefined
      ? `The header ${name} is required, and has to say what \`${field}\` says.`
      : `The header ${name} does not say what \`${field}\` says.`,
  );

const prefix = '=?base64?';
const suffix = '?=';

/** A header's value; what ASCII has no room for comes in Base64. Undefined where that is malformed. */
function decoded(header: string | undefined): string | undefined {
  if (!header?.startsWith(prefix) || !header.endsWith(suffix)) return header;
  const encoded = header.slice(prefix.length, -suffix.length);
  const bytes = Buffer.from(encoded, 'base64');
  return bytes.toString('base64') === encoded ? bytes.toString() : undefined;
}
