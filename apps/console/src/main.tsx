import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import '@mantine/spotlight/styles.css';
import './theme.css';
import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { setNonce } from 'get-nonce';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from './api/query-client.js';
import { colours, nonce, theme } from './theme.js';
import { router } from './router.js';
import { reloadAfterUpgrade } from './shell/upgrades.js';

reloadAfterUpgrade(() => router.state.isLoading);
// The scroll lock under dialogs writes a style element of its own.
setNonce(nonce);

const root = document.getElementById('root');
if (!root) throw new Error('The page has no root element.');
createRoot(root).render(
  <StrictMode>
    <MantineProvider
      {...{ theme, cssVariablesResolver: colours, getStyleNonce: () => nonce }}
      defaultColorScheme="auto"
    >
      <Notifications position="bottom-left" containerWidth={330} />
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
