import {
  ActionIcon,
  Alert,
  Button,
  Card,
  Group,
  List,
  SimpleGrid,
  Stack,
  Text,
  Title,
} from '@mantine/core';
import type { ContactItem, DuplicateList, DuplicatePair, Merged } from '@postroom/contracts';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { api } from '../api/api.js';
import { Icon } from '../ui/icons.js';
import { offerUndo, tellFailure } from '../ui/notices.js';
import { EmptyState, ErrorState, Loading } from '../ui/states.js';
import { ContactFacts } from './contact-facts.js';
import { useFreshContacts } from './contact-query.js';

/** Pairs that are likely to be the same, side by side. */
export function Duplicates(props: { bookId: string; onBack: () => void }): ReactElement {
  const { bookId, onBack } = props;
  const { data, error, refetch } = useQuery({
    queryKey: ['contacts', 'duplicates', bookId],
    queryFn: ({ signal }) => api.get<DuplicateList>('/contacts/duplicates', { bookId }, signal),
  });
  const [passed, setPassed] = useState<readonly string[]>([]);
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!data) return <Loading />;
  const pairs = data.items.filter((pair) => !passed.includes(keyOf(pair)));
  return (
    <Stack>
      <Group>
        <ActionIcon {...{ variant: 'subtle', hiddenFrom: 'md', onClick: onBack }} aria-label="Back">
          <Icon name="back" />
        </ActionIcon>
        <Title order={2} size="h3">
          Likely duplicates
        </Title>
      </Group>
      {pairs.length === 0 && (
        <EmptyState icon="check" title="No duplicates">
          No two contacts of this book look the same.
        </EmptyState>
      )}
      {pairs.map((pair) => (
        <Pair key={keyOf(pair)} {...{ pair, onPass: () => setPassed([...passed, keyOf(pair)]) }} />
      ))}
    </Stack>
  );
}

const keyOf = ({ contacts }: DuplicatePair): string => contacts.map(({ id }) => id).join();

const reasons = {
  ...{ address: 'the same address', phone: 'the same phone number' },
  name: 'the same name and organization',
} as const;

function Pair({ pair, onPass }: { pair: DuplicatePair; onPass: () => void }): ReactElement | null {
  const merge = useMerge();
  const [survivor, setSurvivor] = useState(0);
  const [kept, other] = survivor === 0 ? pair.contacts : [...pair.contacts].reverse();
  if (!kept || !other) return null;
  const losses = lossesOf(kept, other);
  return (
    <Card
      withBorder
      component="article"
      aria-label={`${kept.displayName} and ${other.displayName}`}
    >
      <Stack>
        <Text size="sm" c="dimmed">
          They have {pair.reasons.map((reason) => reasons[reason]).join(' and ')}.
        </Text>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          {pair.contacts.map((contact, place) => (
            <Side
              key={contact.id}
              {...{ contact, isKept: place === survivor, onKeep: () => setSurvivor(place) }}
            />
          ))}
        </SimpleGrid>
        {losses.length > 0 && (
          <Alert color="orange" title="What the merge leaves out">
            <List size="sm">
              {losses.map((loss) => (
                <List.Item key={loss}>
                  <bdi>{loss}</bdi>
                </List.Item>
              ))}
            </List>
          </Alert>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onPass}>
            They are two
          </Button>
          <Button onClick={() => void merge(kept, other)}>Merge</Button>
        </Group>
      </Stack>
    </Card>
  );
}

const Side = (props: {
  contact: ContactItem;
  isKept: boolean;
  onKeep: () => void;
}): ReactElement => (
  <Stack gap="xs">
    <Group justify="space-between" wrap="nowrap">
      <Text fw={600} truncate>
        <bdi>{props.contact.displayName}</bdi>
      </Text>
      <Button
        {...{ size: 'compact-xs', variant: props.isKept ? 'light' : 'default' }}
        aria-pressed={props.isKept}
        onClick={props.onKeep}
      >
        {props.isKept ? 'Stays' : 'Keep this one'}
      </Button>
    </Group>
    <ContactFacts contact={props.contact} />
  </Stack>
);

function useMerge() {
  const fresh = useFreshContacts();
  return async (kept: ContactItem, other: ContactItem): Promise<void> => {
    try {
      const body = { survivorId: kept.id, mergedIds: [other.id] };
      const { leftOut } = await api.post<Merged>('/contacts/merge', body);
      await fresh();
      const lists: readonly (readonly unknown[])[] = Object.values(leftOut);
      const count = lists.reduce((sum, list) => sum + list.length, 0);
      const lost = count > 0 ? ` ${count} values had no room.` : '';
      offerUndo(
        `Merged into ${kept.displayName}.${lost}`,
        () => void api.post(`/contacts/${other.id}/unmerge`, {}).then(fresh, tellFailure),
      );
    } catch (error) {
      tellFailure(error);
    }
  };
}

const texts = {
  ...{ displayName: 'Name', givenName: 'Given name', familyName: 'Family name' },
  ...{ organization: 'Organization', jobTitle: 'Job title', birthday: 'Birthday', notes: 'Notes' },
} as const;

/** Entries that a contact may have. */
const lists = [
  ['emails', 'Address', 10],
  ['phones', 'Phone', 10],
  ['urls', 'Web page', 5],
] as const;

/** All of the other contact that the survivor has no place for: texts that it has itself, and entries over the limits. */
function lossesOf(survivor: ContactItem, other: ContactItem): readonly string[] {
  const keys = Object.keys(texts) as (keyof typeof texts)[];
  const ofTexts = keys
    .filter((key) => survivor[key] && other[key] && survivor[key] !== other[key])
    .map((key) => `${texts[key]}: ${other[key] ?? ''}`);
  const ofLists = lists.flatMap(([key, name, max]) => {
    const [own, more] = [survivor[key] ?? [], other[key] ?? []];
    const known = new Set(own.map(({ value }) => value.toLowerCase()));
    const added = more.filter(({ value }) => !known.has(value.toLowerCase()));
    return added.slice(Math.max(0, max - own.length)).map(({ value }) => `${name}: ${value}`);
  });
  return [...ofTexts, ...ofLists];
}
