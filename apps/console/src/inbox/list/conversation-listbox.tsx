import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, type KeyboardEvent, type MouseEvent, type ReactElement } from 'react';
import classes from '../inbox.module.css';
import { useInbox } from '../inbox-state.js';
import { ConversationRow, rowDomId } from './conversation-row.js';

const rowHeight = 76;
/** The next page is asked for when so few rows follow. */
const readAhead = 30;

/** The rows of a list, of which those in sight stand in the document. */
export function ConversationListbox({ label }: { label: string }): ReactElement {
  const { list, state, cursor, openId, selection, moveTo, open } = useInbox();
  const { ids, hits, isWhole, isLoading, error } = state;
  const scroller = useRef<HTMLDivElement>(null);
  // oxlint-disable-next-line react/incompatible-library -- Nothing compiles the page.
  const virtualizer = useVirtualizer({
    ...{ count: ids.length, estimateSize: () => rowHeight, overscan: 8 },
    getScrollElement: () => scroller.current,
    getItemKey: (index) => ids[index] ?? index,
  });
  const items = virtualizer.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (ids.length > 0 && last >= ids.length - readAhead && !isWhole && !isLoading && !error)
      void list.more();
  }, [list, ids.length, last, isWhole, isLoading, error]);
  useStayInSight(cursor, ids, (index) => virtualizer.scrollToIndex(index));
  const onRow = (event: MouseEvent, id: string): void => {
    if (event.shiftKey) selection.extendTo(id);
    else if (event.ctrlKey || event.metaKey) selection.toggle(id);
    else {
      moveTo(id);
      open(id);
    }
  };
  const onKey = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const next = ids[ids.indexOf(cursor ?? '') + (step ?? 0)];
    if (step === undefined || next === undefined) return;
    event.preventDefault();
    moveTo(next);
  };
  return (
    <div
      {...{ ref: scroller, className: classes.scroller, role: 'listbox', tabIndex: 0 }}
      {...{ 'aria-label': label, 'aria-multiselectable': true, 'aria-busy': isLoading }}
      aria-activedescendant={
        items.some(({ index }) => ids[index] === cursor) && cursor !== null
          ? rowDomId(cursor)
          : undefined
      }
      data-inbox-list=""
      onKeyDown={onKey}
    >
      <div role="presentation" style={{ height: virtualizer.getTotalSize(), position: 'relative' }}>
        {items.map(({ index, start }) => {
          const id = ids[index] ?? '';
          return (
            <ConversationRow
              key={id}
              {...{ id, index, total: isWhole ? ids.length : -1 }}
              {...{ isAtCursor: id === cursor, isOpen: id === openId, hit: hits.get(id) }}
              isSelected={selection.ids.has(id)}
              style={{ transform: `translateY(${start}px)`, height: rowHeight }}
              onClick={(event) => onRow(event, id)}
              onSelect={(event) => {
                event.stopPropagation();
                if (event.shiftKey) selection.extendTo(id);
                else selection.toggle(id);
              }}
            />
          );
        })}
      </div>
    </div>
  );
}

/** The row at the keys stays in sight when it moves, and not when the list changes around it. */
function useStayInSight(
  cursor: string | null,
  ids: readonly string[],
  scrollTo: (index: number) => void,
): void {
  const seen = useRef<string | null>(null);
  useEffect(() => {
    if (cursor === seen.current) return;
    const isFirst = seen.current === null;
    seen.current = cursor;
    const index = cursor === null ? -1 : ids.indexOf(cursor);
    if (index >= 0 && !(isFirst && index === 0)) scrollTo(index);
  });
}

/** Keys go to the list. */
export const focusList = (): void =>
  document.querySelector<HTMLElement>('[data-inbox-list]')?.focus({ preventScroll: true });
