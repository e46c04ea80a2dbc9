const group = 4;
const ofAlphabet = /^[A-Za-z0-9+/=]*$/;

/**
 * Decodes canonical base64 (RFC 4648 §4: standard alphabet, padded, padding bits zero) as it comes, in
 * pieces of any length.
 */
export class Base64Decoder {
  /** Characters of a group that is not whole yet. */
  private begun = '';
  private hasEnded = false;

  /** @returns the bytes; null when what came so far is not canonical */
  push(piece: string): Buffer | null {
    const text = this.begun + piece;
    const whole = text.length - (text.length % group);
    this.begun = text.slice(whole);
    const groups = text.slice(0, whole);
    if (!ofAlphabet.test(this.begun) || (this.hasEnded && text !== '')) return null;
    this.hasEnded = groups.endsWith('=');
    if (this.hasEnded && this.begun !== '') return null;
    const bytes = Buffer.from(groups, 'base64');
    // Node forgives much; what it would not have written itself is not canonical.
    return bytes.toString('base64') === groups ? bytes : null;
  }

  /** Whether the text may end here. */
  get isWhole(): boolean {
    return this.begun === '';
  }
}
