import { Keyring, type SealedColumn } from '@postroom/access';
import { Injectable } from '@nestjs/common';
import { invalidField, type DkimAccess, type MailServerAccess } from '@postroom/contracts';
import type { StoredDkim, StoredServer, MailboxEntity } from './mailbox.entity.js';

const inMailboxes = <Column extends string>(column: Column, field: string) => ({
  ...{ table: 'mailboxes', column, field, key: 'id' },
  context: `mail.mailboxes.${column}:`,
});

/** The columns of a mailbox in which a secret is sealed, by their names. */
export const mailboxSeals = {
  outgoing: inMailboxes('outgoing', 'sealedPassword'),
  imap: inMailboxes('imap', 'sealedPassword'),
  dkim: inMailboxes('dkim', 'sealedPrivateKey'),
} satisfies Record<string, SealedColumn>;

/** The columns of accounts in which a secret is sealed. */
export const accountSeals = {
  tokens: {
    ...{ table: 'mailbox_accounts', column: 'tokens', field: 'sealed', key: 'mailbox_id' },
    context: 'mail.mailbox_accounts.tokens:',
  },
  verifier: {
    ...{ table: 'oauth_grants', column: 'sealed_verifier', key: 'state_hash' },
    context: 'mail.oauth_grants.verifier:',
  },
} satisfies Record<string, SealedColumn>;

/** The columns of a mailbox that hold its secrets for sending. */
type WithSecrets = Pick<MailboxEntity, 'id' | 'outgoing' | 'dkim'>;

type ServerField = 'outgoing' | 'imap';

/** Encrypts the secrets of a mailbox, bound to the row and column where they are stored. */
@Injectable()
export class MailboxSecrets {
  constructor(private readonly keyring: Keyring) {}

  /**
   * Applies the given servers and DKIM settings: undefined keeps, null clears. A server without a
   * password keeps the stored one, unless its host or user changes, to whom it would be disclosed.
   *
   * @throws Problem INVALID_REQUEST for an invalid selector
   */
  apply(
    mailbox: MailboxEntity,
    given: {
      readonly outgoing?: MailServerAccess | null;
      readonly imap?: MailServerAccess | null;
      readonly dkim?: DkimAccess | null;
    },
  ): void {
    const { outgoing, imap, dkim } = given;
    if (outgoing !== undefined) {
      mailbox.outgoing = outgoing && this.server(mailbox, 'outgoing', outgoing);
    }
    if (imap !== undefined) mailbox.imap = imap && this.server(mailbox, 'imap', imap);
    if (dkim !== undefined) mailbox.dkim = dkim && this.dkim(mailbox, dkim);
  }

  /** The password of the server that a mailbox sends through. */
  outgoingPassword({ id, outgoing }: WithSecrets): string | null {
    const sealed = outgoing?.sealedPassword ?? null;
    return sealed && this.keyring.decryptText(sealed, mailboxSeals.outgoing, id);
  }

  /** The password of the server that a mailbox is read from. */
  imapPassword({ id, imap }: Pick<MailboxEntity, 'id' | 'imap'>): string | null {
    const sealed = imap?.sealedPassword ?? null;
    return sealed && this.keyring.decryptText(sealed, mailboxSeals.imap, id);
  }

  /** The key that signs a mailbox's messages, PEM. */
  dkimKey({ id, dkim }: WithSecrets): string | null {
    return dkim && this.keyring.decryptText(dkim.sealedPrivateKey, mailboxSeals.dkim, id);
  }

  private server(
    mailbox: MailboxEntity,
    field: ServerField,
    given: MailServerAccess,
  ): StoredServer {
    const { password, ...server } = given;
    const kept = mailbox[field];
    if (password === null) return { ...server, sealedPassword: null };
    if (password !== undefined) {
      const sealedPassword = this.keyring.encrypt(password, mailboxSeals[field], mailbox.id);
      return { ...server, sealedPassword };
    }
    const isSame = kept?.host === server.host && kept.user === server.user;
    return { ...server, sealedPassword: isSame ? kept.sealedPassword : null };
  }

  private dkim(mailbox: MailboxEntity, { selector, privateKey }: DkimAccess): StoredDkim {
    if (!selectorForm.test(selector)) throw notASelector();
    return {
      selector,
      sealedPrivateKey: this.keyring.encrypt(privateKey, mailboxSeals.dkim, mailbox.id),
    };
  }
}

/** RFC 6376 §3.1: labels of a domain name. */
const selectorForm = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/i;

const notASelector = () =>
  invalidField(
    'dkim.selector',
    'sélecteur DKIM attendu : lettres, chiffres et tirets, séparés par des points',
    'expected a DKIM selector: letters, digits and hyphens, separated by dots',
  );
