import type { Row } from '@postroom/contracts';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import type { HandlerOf } from './context.js';

/**
 * Marks a method as the handler of a row. It compiles only on a method that takes the row's context
 * and input and answers its output; an event that the row does not list does not compile inside.
 */
export function Handles<R extends Row>(row: R) {
  return <H extends HandlerOf<R>>(
    prototype: object,
    name: string,
    descriptor: TypedPropertyDescriptor<H>,
  ): void => {
    Ctx()(prototype, name, 0);
    Payload()(prototype, name, 1);
    MessagePattern(row.id)(prototype, name, descriptor);
  };
}
