import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { startRounds } from '@postroom/concurrency';
import { systemActor, type EventActor, type EventSource } from '@postroom/contracts';
import { logToken, UnitOfWork } from '@postroom/operations';
import { Database, statement } from '@postroom/persistence';
import type { Log } from '@postroom/service';
import { deleteContacts, firstContacts } from './contacts/index.js';

/** A book that was deleted with its contacts. */
interface DeletedBook {
  readonly tenantId: string;
  readonly id: string;
  /** By whom; null once it has no contacts left, and is kept for who might see it alone. */
  readonly deletedBy: { readonly actor: EventActor; readonly source: EventSource } | null;
}

const find = statement<DeletedBook>(
  'books.find_deleted',
  'SELECT tenant_id AS "tenantId", id, deleted_by AS "deletedBy" FROM deleted_books()',
);

const lock = statement<Pick<DeletedBook, 'deletedBy'>>(
  'books.lock_deleted',
  `SELECT deleted_by AS "deletedBy" FROM address_books WHERE tenant_id = $1 AND id = $2 AND deleted_at IS NOT NULL
   FOR UPDATE SKIP LOCKED`,
);

const empty = statement<object>(
  'books.empty',
  `WITH merged AS (DELETE FROM merged_contacts WHERE tenant_id = $1 AND book_id = $2)
   UPDATE address_books SET deleted_by = NULL WHERE tenant_id = $1 AND id = $2`,
);

const forget = statement<object>(
  'books.forget',
  'DELETE FROM address_books WHERE tenant_id = $1 AND id = $2',
);

/** Contacts that are deleted in one transaction, each with its event. */
const batchSize = 200;

/**
 * Deletes, every second, the rest of the books that were deleted with their contacts. The rights on a book are
 * kept for as long as the feed has events of its contacts (`docs/architecture.md`, An event is delivered).
 */
@Injectable()
export class DeletedBooks implements OnApplicationBootstrap, OnModuleDestroy {
  private stop: () => Promise<void> = () => Promise.resolve();

  constructor(
    private readonly database: Database,
    private readonly work: UnitOfWork,
    @Inject(logToken) private readonly log: Log,
  ) {}

  onApplicationBootstrap(): void {
    this.stop = startRounds((stopping) => this.sweep(stopping), {
      everyMs: 1000,
      onFailure: (err) => {
        this.log.warn({ err }, 'deleting the contacts of a deleted book failed, retrying');
      },
    });
  }

  onModuleDestroy(): Promise<void> {
    return this.stop();
  }

  /** The books of all workspaces, a part of each in turn. */
  private async sweep(stopping: AbortSignal): Promise<void> {
    let books = await this.database.rows(find, []);
    while (books.length > 0) {
      const left = [];
      for (const book of books) {
        if (stopping.aborted) return;
        if (await this.deletePart(book)) left.push(book);
      }
      books = left;
    }
  }

  /**
   * Deletes a part of the contacts of a book, with their events, and at last the book; nothing while another
   * instance is doing it.
   * @returns whether something is left
   */
  private deletePart({ tenantId, id, deletedBy }: DeletedBook): Promise<boolean> {
    const origin = deletedBy ?? { actor: systemActor, source: 'automation' };
    return this.work.change({ tenantId, ...origin }, null, async (context) => {
      const [book] = await context.rows(lock, [id]);
      if (!book) return { value: false };
      if (book.deletedBy === null) {
        // Emptied by another instance meanwhile, or long ago.
        if (deletedBy === null) await context.rows(forget, [id]);
        return { value: false };
      }
      const contacts = await firstContacts(context, id, batchSize);
      await deleteContacts(context, { id }, contacts);
      if (contacts.length === batchSize) return { value: true };
      await context.rows(empty, [id]);
      return { value: false };
    });
  }
}
