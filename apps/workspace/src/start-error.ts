/** What stands in the way is the operator's to change, and the message says how: no stack is shown. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
