import { Injectable } from '@nestjs/common';
import { Keyring } from '@postroom/access';
import { invalidField, type DkimAccess, type MailServerAccess } from '@postroom/contracts';
import type { StoredDkim, StoredServer, MailboxEntity } from './mailbox.entity.js';

/** What of a mailbox its secrets for sending are found by. */
type WithSecrets = Pick<MailboxEntity, 'id' | 'outgoing' | 'dkim'>;

type ServerField = 'outgoing' | 'imap';

/** Seals the secrets of a mailbox for the row and column where they are kept. */
@Injectable()
export class MailboxSecrets {
  constructor(private readonly keyring: Keyring) {}

  /**
   * Applies servers and DKIM as they were given: absent stays, null clears. A server given without
   * a password keeps the one it has, unless that would show it to another host or user.
   *
   * @throws Problem INVALID_REQUEST for a selector that is none
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
    return sealed && this.keyring.openText(sealed, placeOf({ id }, 'outgoing'));
  }

  /** The key that signs a mailbox's messages, PEM. */
  dkimKey({ id, dkim }: WithSecrets): string | null {
    return dkim && this.keyring.openText(dkim.sealedPrivateKey, placeOf({ id }, 'dkim'));
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
      return { ...server, sealedPassword: this.keyring.seal(password, placeOf(mailbox, field)) };
    }
    const isSame = kept?.host === server.host && kept.user === server.user;
    return { ...server, sealedPassword: isSame ? kept.sealedPassword : null };
  }

  private dkim(mailbox: MailboxEntity, { selector, privateKey }: DkimAccess): StoredDkim {
    if (!selectorForm.test(selector)) throw notASelector();
    return {
      selector,
      sealedPrivateKey: this.keyring.seal(privateKey, placeOf(mailbox, 'dkim')),
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

const placeOf = ({ id }: Pick<MailboxEntity, 'id'>, field: ServerField | 'dkim'): string =>
  `mail.mailboxes.${field}:${id}`;
