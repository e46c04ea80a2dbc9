import type { FactorNotice, NoticedMember, SignInNotice } from './notice.js';

/** A message in plain text. */
export interface NoticeText {
  readonly subject: string;
  readonly text: string;
}

/** No member's name is in it: a member who chooses it would write in the name of the deployment. */
const letter = (subject: string, ...parts: string[]): NoticeText => ({
  subject,
  text: `${['Hello,', ...parts].join('\n\n')}\n`,
});

const quotedMax = 60;

/**
 * A text that a member or a client has chosen, marked as such: on one line, bounded, and without anything that a mail
 * program makes a link of, since this mail is in the name of the deployment.
 */
const quoted = (text: string): string => {
  const line = text.replace(/[\p{C}\p{Z}]+/gu, ' ').replace(/[.:/@\\](?=\S)/gu, '$& ');
  const points = Array.from(line.replaceAll('"', "'").trim());
  return `"${points.length > quotedMax ? `${points.slice(0, quotedMax).join('')}…` : points.join('')}"`;
};

const minute = (at: string): string => `${at.slice(0, 16).replace('T', ' ')} UTC`;

/** The link by which a member chooses a new password. */
export const resetText = (member: NoticedMember, url: string): NoticeText =>
  letter(
    'Choose a new password',
    `Somebody, probably you, has asked for a new password for ${member.email} in the workspace ${quoted(member.workspace)}.`,
    `Choose it within the next hour:\n${url}`,
    'The link works once. If you have not asked for it, do nothing: your password stays as it is.',
  );

/** A sign-in from a device or network that the account was not used from before. */
export const signInText = (notice: SignInNotice, publicUrl: string): NoticeText =>
  letter(
    'New sign-in to your account',
    `Somebody has signed in as ${notice.email} to the workspace ${quoted(notice.workspace)}:`,
    [
      `  Device:  ${notice.device === null ? 'unknown' : quoted(notice.device)}`,
      `  Address: ${notice.address}`,
      `  Time:    ${minute(notice.at)}`,
    ].join('\n'),
    `If it was you, do nothing. If not, choose a new password at ${publicUrl}reset, which ends every session, and tell your administrator.`,
  );

const changes: Readonly<Record<FactorNotice['change'], string>> = {
  passkey: 'A passkey was added to',
  noPasskey: 'A passkey was removed from',
  totp: 'A code application was added to',
  noTotp: 'The code application was removed from',
  recoveryCodes: 'New recovery codes were made for',
  none: 'An administrator has removed every second factor from',
};

/** A change of how a member proves who it is. */
export const factorText = (
  { change, email, workspace, at }: FactorNotice,
  publicUrl: string,
): NoticeText =>
  letter(
    'Your second factor has changed',
    `${changes[change]} the account ${email} in the workspace ${quoted(workspace)}, ${minute(at)}.`,
    `If it was you, or you know of it, do nothing. If not, choose a new password at ${publicUrl}reset and ask your administrator to remove your second factors: a new password alone removes none.`,
  );
