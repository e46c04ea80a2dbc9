/** The claims of a receipt: the payload of its compact JWS. It is shown, not verified. */
export function readReceipt(receipt: string): unknown {
  const [, payload = ''] = receipt.split('.');
  const bytes = Uint8Array.from(
    atob(payload.replaceAll('-', '+').replaceAll('_', '/')),
    (letter) => letter.codePointAt(0) ?? 0,
  );
  return JSON.parse(new TextDecoder().decode(bytes)) as unknown;
}
