import type { MailServer, MailServerAccess } from '@postroom/contracts';
import {
  Fieldset,
  Group,
  NumberInput,
  PasswordInput,
  Select,
  Stack,
  TextInput,
} from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';

/** A server as the form has it. */
export interface ServerValues {
  readonly host: string;
  readonly port: number | string;
  readonly secure: boolean;
  readonly user: string;
  readonly password: string;
}

export const emptyServer: ServerValues = {
  host: '',
  port: '',
  secure: true,
  user: '',
  password: '',
};

/** A server as a form begins with it. */
export const valuesOf = (server: MailServer | null, port: number): ServerValues => ({
  ...emptyServer,
  ...(server && { host: server.host, secure: server.secure, user: server.user ?? '' }),
  port: server?.port ?? port,
});

/** The server as the API takes it; an empty password leaves the kept one. */
export const serverGiven = (values: ServerValues): MailServerAccess => ({
  host: values.host,
  port: Number(values.port),
  secure: values.secure,
  user: values.user === '' ? null : values.user,
  ...(values.password !== '' && { password: values.password }),
});

/** The fields of a server and of the account on it. */
export function ServerFields(props: {
  title: string;
  value: ServerValues;
  isNew: boolean;
  onChange: (value: ServerValues) => void;
  errorOf: (field: string) => ReactNode;
}): ReactElement {
  const { value } = props;
  const set = (changed: Partial<ServerValues>): void => props.onChange({ ...value, ...changed });
  return (
    <Fieldset legend={props.title}>
      <Stack gap="xs">
        <Group gap="xs" align="flex-start" wrap="wrap">
          <TextInput
            {...{ label: 'Host', required: true, flex: '1 1 180px', value: value.host }}
            {...{ maxLength: 253, error: props.errorOf('host') }}
            onChange={({ currentTarget }) => set({ host: currentTarget.value })}
          />
          <NumberInput
            {...{ label: 'Port', required: true, w: 100, min: 1, max: 65_535, hideControls: true }}
            {...{ value: value.port, error: props.errorOf('port') }}
            onChange={(port) => set({ port })}
          />
        </Group>
        <Select
          {...{
            label: 'Encryption',
            allowDeselect: false,
            value: value.secure ? 'tls' : 'starttls',
          }}
          data={[
            { value: 'tls', label: 'TLS from the first byte' },
            { value: 'starttls', label: 'STARTTLS where it is offered' },
          ]}
          onChange={(chosen) => set({ secure: chosen === 'tls' })}
        />
        <TextInput
          {...{ label: 'User', autoComplete: 'off', value: value.user, maxLength: 320 }}
          error={props.errorOf('user')}
          onChange={({ currentTarget }) => set({ user: currentTarget.value })}
        />
        <PasswordInput
          {...{ label: 'Password', autoComplete: 'new-password', value: value.password }}
          {...{ maxLength: 1000, error: props.errorOf('password') }}
          description={props.isNew ? null : 'Never shown again. Empty: the present one stays.'}
          onChange={({ currentTarget }) => set({ password: currentTarget.value })}
        />
      </Stack>
    </Fieldset>
  );
}
