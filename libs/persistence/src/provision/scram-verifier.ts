import { createHash, createHmac, pbkdf2, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';

const derive = promisify(pbkdf2);
const iterations = 4096;

/**
 * The verifier that PostgreSQL stores for a password (SCRAM-SHA-256, RFC 5803). Sent in its place, so that the
 * password is in no statement that a server might log.
 * @throws RangeError for a password that is not printable ASCII, which would need SASLprep
 */
export async function scramVerifier(password: string): Promise<string> {
  if (!/^[\x20-\x7e]+$/.test(password)) {
    throw new RangeError('A database password has to consist of printable ASCII characters.');
  }
  const salt = randomBytes(16);
  const salted = await derive(password, salt, iterations, 32, 'sha256');
  const sign = (label: string): Buffer => createHmac('sha256', salted).update(label).digest();
  const storedKey = createHash('sha256').update(sign('Client Key')).digest('base64');
  const serverKey = sign('Server Key').toString('base64');
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${serverKey}`;
}
