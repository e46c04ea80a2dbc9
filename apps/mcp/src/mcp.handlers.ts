import { mcp } from '@postroom/contracts';
import { handlers } from '@postroom/operations';
import { Dispatcher } from './protocol/index.js';

/** What the gateway passes on from `POST /mcp`. */
export const McpHandlers = handlers(mcp, [Dispatcher], (dispatcher) => ({
  handle: (context, message) => dispatcher.answer(context, message),
}));
