import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type Mail from 'nodemailer/lib/mailer/index.js';
import { Contract } from './contract.js';
import { deliver } from './mail.js';
import { type DemoTenant, type Product, sharedProduct, tenantOf } from './product.js';
import { PublicApi } from './public-api.js';
import { SettingsApi } from './settings-api.js';
import { type ConversationItem, keyOf, mailboxOf, pageOf } from './wire.js';

/** "In the list within a second" (issue of the main job). */
const listedWithinMs = 1_000;

interface KeyWishes {
  readonly [name: string]: unknown;
  readonly mailboxes?: readonly { readonly address: string; readonly access: 'read' | 'write' }[];
}

/** A key made for a spec file, and the API with that key. */
export class OwnKey extends PublicApi {
  constructor(
    product: Product,
    readonly id: string,
    secret: string,
    contract: Pick<Contract, 'check'>,
  ) {
    super(product, secret, contract);
  }
}

/** Mailboxes and keys of a workspace that belong to one spec file. */
export class Workplace {
  private constructor(
    readonly product: Product,
    readonly tenant: DemoTenant,
    /** As the workspace's administrator. */
    readonly settings: SettingsApi,
    readonly contract: Contract,
  ) {}

  /** In a workspace of the shared product, or of the one given. */
  static async open(name: 'acme' | 'globex', given?: Product): Promise<Workplace> {
    const product = given ?? (await sharedProduct());
    const tenant = tenantOf(product, name);
    const settings = await SettingsApi.signIn(product, tenant.admin);
    return new Workplace(product, tenant, settings, await Contract.of(product));
  }

  /** Makes a mailbox. @returns its address */
  async mailbox(): Promise<string> {
    const address = `box-${randomUUID()}@${this.tenant.name}.test`;
    return mailboxOf(await this.settings.post('/mailboxes', { address, name: 'End to end' }))
      .address;
  }

  /** Makes a key; by default of kind human, for reading and writing conversations, without mailboxes. */
  async key(wishes: KeyWishes = {}): Promise<OwnKey> {
    const { key, secret } = keyOf(
      await this.settings.post('/keys', {
        name: 'End to end',
        kind: 'human',
        scopes: ['read:conversations', 'write:conversations'],
        ...wishes,
      }),
    );
    return new OwnKey(this.product, key.id, secret, this.contract);
  }

  /** Makes a key that reads and writes in one mailbox. */
  keyFor(address: string, wishes: KeyWishes = {}): Promise<OwnKey> {
    return this.key({ mailboxes: [{ address, access: 'write' }], ...wishes });
  }

  /** The API with an existing key. */
  with(key: string): PublicApi {
    return new PublicApi(this.product, key, this.contract);
  }

  /** Delivers a message over SMTP. @returns its conversation, once the list shows it */
  async receive(
    api: PublicApi,
    mailbox: string,
    mail: Mail.Options = {},
  ): Promise<ConversationItem> {
    const subject = mail.subject ?? `Question ${randomUUID()}`;
    const envelope = { from: 'camille@correspondent.example', to: mailbox };
    await deliver(this.product, { envelope, ...mail, to: mailbox, subject });
    return this.listed(api, mailbox, (item) => item.subject === subject);
  }

  /** Waits until a conversation is in the list. */
  async listed(
    api: PublicApi,
    mailbox: string,
    wanted: (item: ConversationItem) => boolean,
  ): Promise<ConversationItem> {
    const deadline = performance.now() + listedWithinMs;
    for (;;) {
      const page = pageOf(await api.get('/v1/conversations', { mailbox, limit: 100 }));
      const item = page.conversations.find(wanted);
      if (item) return item;
      if (performance.now() > deadline) throw new Error('Not in the list within a second.');
      await sleep(20);
    }
  }
}
