import type { Caller } from '@postroom/access';
import {
  calendarEvents,
  calendars,
  tasks,
  type Calendar,
  type CalendarEvent,
  type Task,
} from '@postroom/contracts';
import { TestService, type Answer } from '@postroom/service-testing';
import { schedulingService } from '../scheduling-app.js';

/** The scheduling service with a database of its own, spoken to as the gateway does. */
export class SchedulingService extends TestService {
  static start(env: NodeJS.ProcessEnv = {}): Promise<SchedulingService> {
    return SchedulingService.launch(schedulingService, env);
  }

  async calendar(
    caller: Caller,
    scope: 'personal' | 'shared' = 'personal',
    given: object = {},
  ): Promise<Calendar> {
    const input = { name: 'Team', scope, ...given };
    const answer = await this.call<{ calendar: Calendar }>(calendars.create, input, { caller });
    if (answer.status !== 201) throw new Error(`calendar: ${answer.text}`);
    return answer.body.calendar;
  }

  /** @param given a calendar, a title and times among the rest */
  createEvent(caller: Caller, given: object): Promise<Answer<{ event: CalendarEvent }>> {
    return this.call<{ event: CalendarEvent }>(calendarEvents.create, given, { caller });
  }

  /** An event of a calendar of its own, where none is named. */
  async event(caller: Caller, given: object): Promise<CalendarEvent> {
    const calendarId = 'calendarId' in given ? given.calendarId : (await this.calendar(caller)).id;
    const answer = await this.createEvent(caller, { title: 'Stand-up', ...given, calendarId });
    if (answer.status !== 201) throw new Error(`event: ${answer.text}`);
    return answer.body.event;
  }

  async eventNow(caller: Caller, { id }: { readonly id: string }): Promise<CalendarEvent> {
    const answer = await this.call<{ event: CalendarEvent }>(
      calendarEvents.get,
      { id },
      { caller },
    );
    return answer.body.event;
  }

  updateEvent(
    caller: Caller,
    id: string,
    given: object,
  ): Promise<Answer<{ event: CalendarEvent }>> {
    const input = { id, scope: 'this', ...given };
    return this.call<{ event: CalendarEvent }>(calendarEvents.update, input, { caller });
  }

  removeEvent(caller: Caller, id: string, given: object = {}): Promise<Answer> {
    return this.call<unknown>(calendarEvents.remove, { id, scope: 'this', ...given }, { caller });
  }

  createTask(caller: Caller, given: object): Promise<Answer<{ task: Task; existed?: boolean }>> {
    return this.call<{ task: Task; existed?: boolean }>(tasks.create, given, { caller });
  }

  async task(caller: Caller, given: object = {}): Promise<Task> {
    return (await this.createTask(caller, { title: 'Call back', ...given })).body.task;
  }

  updateTask(caller: Caller, id: string, given: object): Promise<Answer<{ task: Task }>> {
    return this.call<{ task: Task }>(tasks.update, { id, ...given }, { caller });
  }

  /** The types of a workspace's events, in order. */
  async eventTypes(caller: Caller): Promise<string[]> {
    return (await this.events(caller)).map(({ type }) => type);
  }
}
