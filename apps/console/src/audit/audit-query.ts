import type { AuditPage } from '@postroom/contracts';
import { infiniteQueryOptions } from '@tanstack/react-query';
import { Temporal } from 'temporal-polyfill';
import { api } from '../api/api.js';
import { browserZone } from '../ui/time.js';
import type { AuditSearch } from './audit-search.js';

export type Entry = AuditPage['items'][number];

/** The filters as the API takes them: `to` is the end of its day. */
export const filtersOf = ({ from, to, ...others }: AuditSearch): Record<string, string> => ({
  ...others,
  ...(from !== undefined && { from: startOf(from, 0) }),
  ...(to !== undefined && { to: startOf(to, 1) }),
});

const startOf = (day: string, daysLater: number): string =>
  Temporal.PlainDate.from(day)
    .add({ days: daysLater })
    .toZonedDateTime(browserZone)
    .toInstant()
    .toString();

export const auditQuery = (search: AuditSearch) =>
  infiniteQueryOptions({
    queryKey: ['audit', search] as const,
    queryFn: ({ pageParam, signal }) =>
      api.get<AuditPage>(
        '/audit',
        { ...filtersOf(search), limit: 50, pageToken: pageParam },
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextPageToken }) => nextPageToken,
  });
