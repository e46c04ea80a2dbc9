import type { MailboxAccess, Scope } from '@postroom/contracts';
import { html, type Html } from '@postroom/formats';
import type { Choice, ConsentRequest } from '../../access/index.js';
import { oauthPaths } from './paths.js';

/** Scopes in plain words; those of what a mailbox holds count for the mailboxes that are chosen. */
const words: readonly (readonly [Scope, string])[] = [
  ['read:conversations', 'Read and search the mail of the mailboxes chosen below'],
  ['write:conversations', 'Sort that mail: assign, label, archive, comment'],
  ['drafts:write', 'Write drafts there, which people look at and send'],
  ['read:contacts', 'Read contacts'],
  ['write:contacts', 'Add and change contacts'],
  ['read:calendar', 'Read calendars'],
  ['write:calendar', 'Add and change events'],
  ['read:tasks', 'Read tasks'],
  ['write:tasks', 'Add and change tasks'],
  ['read:analytics', 'Read the figures of the workspace'],
];

const writesMail: readonly Scope[] = ['write:conversations', 'drafts:write'];
const ofMailboxes: readonly Scope[] = ['read:conversations', ...writesMail];

/** The first thing that is missing in a choice, as a sentence; null for a choice that can be allowed. */
export function missingIn({ scopes, grants }: Choice): string | null {
  if (scopes.length === 0) return 'Choose at least one thing that it may do.';
  const accesses = Object.values(grants);
  const isAskedFor = (some: readonly Scope[]): boolean =>
    scopes.some((scope) => some.includes(scope));
  if (isAskedFor(ofMailboxes) && accesses.length === 0) return 'Choose at least one mailbox.';
  return isAskedFor(writesMail) && !accesses.includes('write')
    ? 'To sort mail or write drafts it needs “Read and write” in at least one mailbox.'
    : null;
}

/** Asks a member about an assistant. @param given what was chosen before a refusal; at first nothing */
export function consentView(
  asked: ConsentRequest,
  email: string,
  given: Choice,
  fault: string | null,
): Html {
  const { scopes, mailboxes, sealed } = asked;
  return html`${fault === null ? null : html`<p class="bad" id="fault" role="alert">${fault}</p> `}
    ${whoAsks(asked, email)}
    <form method="post" action="${oauthPaths.authorize}">
      <input type="hidden" name="request" value="${sealed}" />
      <fieldset>
        <legend>What may it do?</legend>
        ${words
          .filter(([scope]) => scopes.includes(scope))
          .map(
            ([scope, text]) =>
              html`<label class="choice"
                ><input
                  type="checkbox"
                  name="scope"
                  value="${scope}"
                  ${given.scopes.includes(scope) ? html`checked` : null}
                />
                ${text}</label
              > `,
          )}
      </fieldset>
      <fieldset>
        <legend>In which mailboxes?</legend>
        ${mailboxes.size === 0 ? html`<p class="hint">You have no mailbox that it could be let into.</p>` : null}
        ${[...mailboxes].map(([address, access]) => mailboxView(address, access, given.grants[address]))}
      </fieldset>
      <p>
        It never sends mail. What it writes waits until a person of your team approves it. You can
        disconnect it at any time, under Settings, Assistants; so can your administrators.
      </p>
      <button type="submit" name="decision" value="allow">Allow</button>
      <button type="submit" name="decision" value="deny" class="quiet" formnovalidate>
        Refuse
      </button>
    </form>`;
}

/** Names the assistant, who answers for it, and where its answer goes. */
function whoAsks({ client, host, redirectUri, workspace }: ConsentRequest, email: string): Html {
  const goesTo = new URL(redirectUri).host;
  const where = host === 'localhost' ? 'a program on this computer' : host;
  const isElsewhere = goesTo !== '' && goesTo !== host && host !== 'localhost';
  const unchecked = html`<p class="hint">
    Nobody has checked that name. Go on only if you have just asked for this there.
  </p> `;
  return html`<p>
      <strong>${client.name}</strong> (${where}) asks to work in <strong>${workspace}</strong> for
      you, ${email}.
    </p>
    ${isElsewhere ? html`<p class="hint">Its answer goes to ${goesTo}.</p> ` : null}${client.host === null ? unchecked : null}`;
}

const mailboxView = (
  address: string,
  access: MailboxAccess,
  given: MailboxAccess | undefined,
): Html =>
  html`<p class="pair">
    <label for="${address}">${address}</label>
    <select id="${address}" name="mailbox:${address}">
      <option value="">Not at all</option>
      ${option('read', 'Read', given)}${access === 'write' ? option('write', 'Read and write', given) : null}
    </select>
  </p> `;

const option = (value: MailboxAccess, text: string, given: MailboxAccess | undefined): Html =>
  html`<option value="${value}" ${value === given ? html`selected` : null}>${text}</option> `;
