import './contacts.css';
import { useDocumentTitle } from '@mantine/hooks';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState, type ReactElement } from 'react';
import { useAccount } from '../api/account.js';
import { useShortcuts } from '../shell/shortcuts.js';
import { EmptyState } from '../ui/states.js';
import { ContactDetail } from './contact-detail.js';
import { ContactList } from './contact-list.js';
import { useContactsLive, type ContactSearch } from './contact-query.js';
import { BookSelect, ContactsSide } from './contacts-side.js';
import { Duplicates } from './duplicates.js';
import { NewContact } from './new-contact.js';

/** Books and groups, the contacts in them, and the one that is open. */
export function ContactsPage(): ReactElement {
  useDocumentTitle('Contacts – Postroom');
  const search: ContactSearch = useSearch({ strict: false });
  const { contactId }: { contactId?: string } = useParams({ strict: false });
  const navigate = useNavigate();
  const [isNew, setIsNew] = useState(false);
  useContactsLive();
  const open = (id: string | undefined): void => {
    setIsNew(false);
    void navigate(
      id === undefined
        ? { to: '/contacts', search }
        : { to: '/contacts/$contactId', params: { contactId: id }, search },
    );
  };
  useShortcuts([{ keys: 'n', label: 'New contact', run: () => setIsNew(true) }]);
  const shows = search.show === 'duplicates';
  const isOpen = isNew || shows || contactId !== undefined;
  return (
    <div className="contacts-page" data-open={isOpen}>
      <BookSelect search={search} />
      <ContactsSide search={search} onNew={() => setIsNew(true)} />
      <ContactList {...{ search, openId: contactId, onOpen: open }} />
      <section className="contacts-detail" aria-label="Contact">
        <Shown
          {...{ search, contactId, isNew, onOpen: open }}
          onBack={() => {
            const { show: _, ...filters } = search;
            setIsNew(false);
            void navigate({ to: '/contacts', search: filters });
          }}
        />
      </section>
    </div>
  );
}

function Shown(props: {
  search: ContactSearch;
  contactId: string | undefined;
  isNew: boolean;
  onOpen: (id: string | undefined) => void;
  onBack: () => void;
}): ReactElement {
  const { search, contactId, isNew, onOpen, onBack } = props;
  const { addressBooks } = useAccount();
  if (isNew) return <NewContact {...{ bookId: search.book, onDone: onOpen, onCancel: onBack }} />;
  if (search.show === 'duplicates')
    return <Duplicates {...{ bookId: search.book ?? addressBooks[0]?.id ?? '', onBack }} />;
  if (contactId !== undefined)
    return (
      <ContactDetail key={contactId} {...{ id: contactId, onBack: () => onOpen(undefined) }} />
    );
  return (
    <EmptyState icon="contacts" title="No contact is open">
      Choose one, or press N to write a new one.
    </EmptyState>
  );
}
