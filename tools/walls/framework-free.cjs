/**
 * Files that threads and migrations import past an index.ts that loads a framework. threads.cjs proves that
 * they load none themselves.
 */
module.exports = [
  '^libs/access/src/api-key[.]ts$',
  '^libs/contracts/src/(events|fold-for-search|ids|labels-max|problems|same-text|fields/(address|values))[.]ts$',
  '^libs/contracts/src/recurrence/(rrule-text|wall-clock)[.]ts$',
  '^libs/operations/src/(faults|unit-of-work)[.]ts$',
  '^libs/persistence/src/(blobs/(blob-store|open-blobs)|service-pool|statement)[.]ts$',
  '^libs/service/src/(setup-error|log|threads)[.]ts$',
  '^apps/mail/src/conversations/spelled-labels[.]ts$',
  '^apps/mail/src/imap/(history|ledger|remote-mailbox)[.]ts$',
  '^apps/mail/src/imports/store-history[.]ts$',
  '^apps/mail/src/search/(search-document|words)[.]ts$',
  '^apps/scheduling/src/recurrence/(expand|known-starts|questions)[.]ts$',
  '^apps/[^/]+/src/[^/]+/sealed-columns[.]ts$',
];
