import { FileAnswer } from '@postroom/contracts';
import type { RequestId } from './message.js';
import { rpcCodes, type RpcError } from './rpc-error.js';

const headers = { 'content-type': 'application/json; charset=utf-8' };

const json = (status: number, value: object): FileAnswer =>
  new FileAnswer(Buffer.from(JSON.stringify(value)), headers, status);

/** The answer to a request. */
export const resultOf = (id: RequestId, result: object): FileAnswer =>
  json(200, { jsonrpc: '2.0', id, result });

/** The refusal of a request; HTTP says nothing of it, since clients would not read the body. */
export const errorOf = (id: RequestId, { code, message, data }: RpcError): FileAnswer =>
  json(200, { jsonrpc: '2.0', id, error: { code, message, ...(data && { data }) } });

/** The refusal of what cannot be answered as a request. */
export const badRequest = (message: string): FileAnswer =>
  json(400, { jsonrpc: '2.0', id: null, error: { code: rpcCodes.invalidRequest, message } });

/** What a notification is answered; a body would make some clients drop the connection. */
export const accepted = (): FileAnswer => new FileAnswer(Buffer.alloc(0), {}, 202);
