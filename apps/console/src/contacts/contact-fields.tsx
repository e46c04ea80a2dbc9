import type { ContactAddress } from '@postroom/contracts';
import {
  ActionIcon,
  Autocomplete,
  Button,
  Fieldset,
  Group,
  SimpleGrid,
  Stack,
  TagsInput,
  Textarea,
  TextInput,
} from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { Icon } from '../ui/icons.js';
import { groupsQuery } from './contact-query.js';
import { contactLabels, emptyAddress, type ContactValues, type Point } from './contact-values.js';

export type ContactFormState = UseFormReturnType<ContactValues>;

/** All fields of a contact. */
export function ContactFields({ form }: { form: ContactFormState }): ReactElement {
  const { data } = useQuery(groupsQuery(undefined));
  const text = (name: 'displayName' | 'givenName' | 'familyName' | 'organization' | 'jobTitle') => (
    <TextInput
      {...{
        label: contactLabels[name],
        maxLength: name.endsWith('enName') || name === 'familyName' ? 80 : 120,
      }}
      {...form.getInputProps(name)}
    />
  );
  return (
    <Stack>
      {text('displayName')}
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        {text('givenName')}
        {text('familyName')}
        {text('organization')}
        {text('jobTitle')}
      </SimpleGrid>
      <Points {...{ form, name: 'emails', one: 'address', max: 10, type: 'email' }} />
      <Points {...{ form, name: 'phones', one: 'number', max: 10, type: 'tel' }} />
      <Points {...{ form, name: 'urls', one: 'web page', max: 5, type: 'url' }} />
      <Addresses form={form} />
      <TextInput
        {...{ label: 'Birthday', placeholder: '1990-01-31, or --01-31 without the year' }}
        {...form.getInputProps('birthday')}
      />
      <TagsInput
        {...{ label: 'Groups', maxTags: 20, data: data?.groups.map(({ group }) => group) ?? [] }}
        {...form.getInputProps('groups')}
        value={[...form.values.groups]}
      />
      <Textarea
        {...{ label: 'Notes', autosize: true, minRows: 2, maxLength: 2_000 }}
        {...form.getInputProps('notes')}
      />
    </Stack>
  );
}

function Points(props: {
  form: ContactFormState;
  name: 'emails' | 'phones' | 'urls';
  one: string;
  max: number;
  type: string;
}): ReactElement {
  const { form, name, one, max, type } = props;
  const points = form.values[name];
  const set = (changed: readonly Point[]): void => form.setFieldValue(name, [...changed]);
  const change = (place: number, part: Partial<Point>): void =>
    set(points.map((point, i) => (i === place ? { ...point, ...part } : point)));
  return (
    <Fieldset legend={contactLabels[name]} variant="unstyled">
      <Stack gap={6}>
        {points.map((point, place) => (
          <Group key={place} gap="xs" wrap="nowrap" align="flex-start">
            <TextInput
              {...{
                flex: 1,
                miw: 0,
                type,
                value: point.value,
                'aria-label': `${one} ${place + 1}`,
                // A row that was just added.
                autoFocus: point.value === '',
              }}
              error={form.errors[`${name}.${place}.value`] ?? form.errors[`${name}.${place}`]}
              onChange={({ currentTarget }) => change(place, { value: currentTarget.value })}
            />
            <Autocomplete
              {...{ w: 110, data: ['work', 'home', 'mobile'], value: point.type ?? '' }}
              {...{ placeholder: 'For', 'aria-label': `Purpose of ${one} ${place + 1}` }}
              onChange={(value) => change(place, { type: value === '' ? null : value })}
            />
            <Remove
              name={`${one} ${place + 1}`}
              onClick={() => set(points.filter((_, i) => i !== place))}
            />
          </Group>
        ))}
        {points.length < max && (
          <Add name={one} onClick={() => set([...points, { value: '', type: null }])} />
        )}
      </Stack>
    </Fieldset>
  );
}

const parts = {
  ...{ street: 'Street', postalCode: 'Postal code', city: 'City', region: 'Region' },
  country: 'Country',
} as const;

function Addresses({ form }: { form: ContactFormState }): ReactElement {
  const { addresses } = form.values;
  const set = (changed: readonly ContactAddress[]): void =>
    form.setFieldValue('addresses', [...changed]);
  return (
    <Fieldset legend={contactLabels.addresses} variant="unstyled">
      <Stack gap="xs">
        {addresses.map((address, place) => (
          <Group key={place} gap="xs" wrap="nowrap" align="flex-start">
            <SimpleGrid cols={{ base: 1, sm: 2 }} flex={1} spacing="xs" verticalSpacing={6}>
              {(Object.keys(parts) as (keyof typeof parts)[]).map((part) => (
                <TextInput
                  key={part}
                  {...{
                    placeholder: parts[part],
                    'aria-label': `${parts[part]} of address ${place + 1}`,
                  }}
                  {...{ maxLength: 200, value: address[part] ?? '' }}
                  error={form.errors[`addresses.${place}.${part}`]}
                  onChange={({ currentTarget: { value } }) =>
                    set(addresses.map((it, i) => (i === place ? { ...it, [part]: value } : it)))
                  }
                />
              ))}
            </SimpleGrid>
            <Remove
              name={`postal address ${place + 1}`}
              onClick={() => set(addresses.filter((_, i) => i !== place))}
            />
          </Group>
        ))}
        {addresses.length < 5 && (
          <Add name="postal address" onClick={() => set([...addresses, emptyAddress])} />
        )}
      </Stack>
    </Fieldset>
  );
}

const Remove = ({ name, onClick }: { name: string; onClick: () => void }): ReactElement => (
  <ActionIcon
    {...{ variant: 'subtle', color: 'gray', mt: 4, onClick }}
    aria-label={`Remove ${name}`}
  >
    <Icon name="cross" size={15} />
  </ActionIcon>
);

const Add = ({ name, onClick }: { name: string; onClick: () => void }): ReactElement => (
  <Button
    {...{ size: 'compact-sm', variant: 'subtle', onClick, style: { alignSelf: 'flex-start' } }}
    leftSection={<Icon name="plus" size={14} />}
  >
    Add {/^[aeiou]/.test(name) ? 'an' : 'a'} {name}
  </Button>
);
