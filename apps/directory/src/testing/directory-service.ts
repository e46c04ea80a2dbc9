import type { Caller } from '@postroom/access';
import {
  addressBooks,
  contacts,
  newId,
  type AddressBook,
  type BookAccessValue,
  type BookAnswer,
  type ContactCreated,
  type ContactItem,
  type CreateContact,
} from '@postroom/contracts';
import { aKey, anAdmin, TestService, type Answer } from '@postroom/service-testing';
import { directoryService } from '../index.js';

/** A book with a key of its workspace that may write it. */
export interface BookOf extends AddressBook {
  readonly tenantId: string;
  readonly caller: Caller;
}

/** A key attached to a member; of a new workspace and member, when none is named. */
export const memberKey = (
  given: { tenantId?: string; memberId?: string; admin?: boolean } = {},
) => {
  const { memberId = newId('mbr'), ...rest } = given;
  return aKey({ ...rest, member: { id: memberId, email: 'max@acme.test' } });
};

/** A directory service with a database of its own, spoken to as the gateway does. */
export class DirectoryService extends TestService {
  static start(env: NodeJS.ProcessEnv = {}): Promise<DirectoryService> {
    return DirectoryService.launch(directoryService, env);
  }

  /** A new book, open to its workspace; of a new workspace, when none is named. */
  async book(given: { tenantId?: string; access?: BookAccessValue } = {}): Promise<BookOf> {
    const { tenantId = newId('ten'), access = 'workspace' } = given;
    const input = { name: 'Customers', access };
    const answer = await this.call<BookAnswer>(addressBooks.create, input, {
      caller: anAdmin({ tenantId }),
    });
    if (answer.status !== 201) throw new Error(`book: ${answer.problem}`);
    return { ...answer.body.book, tenantId, caller: memberKey({ tenantId }) };
  }

  create(
    { id, caller }: Pick<BookOf, 'id' | 'caller'>,
    given: CreateContact,
    options = {},
  ): Promise<Answer<ContactCreated>> {
    return this.call<ContactCreated>(
      contacts.create,
      { bookId: id, ...given },
      { caller, ...options },
    );
  }

  /** A new contact of a book. */
  async contact(book: BookOf, given: CreateContact): Promise<ContactItem> {
    const answer = await this.create(book, given);
    if (answer.status !== 201) throw new Error(`contact: ${answer.status} ${answer.problem}`);
    return answer.body.contact;
  }
}
