import { Module, type DynamicModule } from '@nestjs/common';
import { MessageParser } from '@postroom/mime';
import { OperationClient, type Resources } from '@postroom/operations';
import { AccountMailHandlers } from './account-mail.handlers.js';
import { AccountTests, AccountTestsHandlers } from './account-tests/index.js';
import {
  AccountLogins,
  LoginTries,
  MailboxAccountsHandlers,
  MailboxConsentsHandlers,
  MailSettings,
  MailSettingsHandlers,
  OAuthGrants,
  OAuthProviders,
  OAuthTokens,
} from './accounts/index.js';
import { AttachmentsHandlers, LargeFiles } from './attachments/index.js';
import { LearntContactsHandlers, MessageSendersHandlers } from './contacts.js';
import {
  BulkHandlers,
  ConversationReads,
  ConversationsHandlers,
  LabelSettingsHandlers,
  MovesHandlers,
  OldConversations,
  TriageHandlers,
} from './conversations/index.js';
import { Dlp, DlpRulesHandlers, JudgingThread } from './dlp/index.js';
import { DomainOwnersHandlers, DomainProof, DomainsHandlers } from './domains/index.js';
import {
  DraftMessages,
  DraftSendsHandlers,
  DueDrafts,
  SendPermissions,
} from './draft-sends/index.js';
import { DraftsHandlers, UploadStepsHandlers } from './drafts/index.js';
import { MailboxOwner, MailboxSyncsHandlers } from './imap/index.js';
import { InboundThread } from './inbound/index.js';
import { ImportsHandlers, ImportStepsHandlers, MessageImporter } from './imports/index.js';
import { LearntLinksHandlers } from './links.js';
import { MailMetrics } from './mail-metrics.js';
import { InboxHandlers, MailListsHandlers } from './lists.handlers.js';
import { MailboxesHandlers, MailboxSecrets, MailServerTargets } from './mailboxes/index.js';
import { MessageComposer, OutgoingLogins, Transport } from './outgoing/index.js';
import { FilePartsHandlers, OriginalsHandlers } from './originals.handlers.js';
import { PersonsHandlers } from './persons/index.js';
import { RemoteImages, RemoteImagesHandlers } from './remote-images/index.js';
import { SandboxMailHandlers } from './sandbox.handlers.js';
import { SearchHandlers } from './search/index.js';
import {
  Attempts,
  Confirmation,
  Preparation,
  ReceiptCache,
  SandboxReports,
  Sender,
  SendsHandlers,
  UnknownSends,
  UnknownSendsHandlers,
} from './sends/index.js';
import { SignatureSettingsHandlers, SignaturesHandlers } from './signatures/index.js';
import { SuppressionSettingsHandlers, SuppressionsHandlers } from './suppressions/index.js';

/** The operations of the mail service. Mail is received beside it (see `InboundThread`). */
@Module({
  controllers: [
    AccountMailHandlers,
    AccountTestsHandlers,
    AttachmentsHandlers,
    BulkHandlers,
    ConversationsHandlers,
    DlpRulesHandlers,
    DomainOwnersHandlers,
    DomainsHandlers,
    DraftSendsHandlers,
    DraftsHandlers,
    FilePartsHandlers,
    ImportsHandlers,
    ImportStepsHandlers,
    InboxHandlers,
    LabelSettingsHandlers,
    LearntContactsHandlers,
    LearntLinksHandlers,
    MailboxAccountsHandlers,
    MailboxConsentsHandlers,
    MailboxesHandlers,
    MailboxSyncsHandlers,
    MailSettingsHandlers,
    MailListsHandlers,
    MessageSendersHandlers,
    MovesHandlers,
    OriginalsHandlers,
    PersonsHandlers,
    RemoteImagesHandlers,
    SandboxMailHandlers,
    SearchHandlers,
    SendsHandlers,
    SignatureSettingsHandlers,
    SignaturesHandlers,
    SuppressionSettingsHandlers,
    SuppressionsHandlers,
    TriageHandlers,
    UnknownSendsHandlers,
    UploadStepsHandlers,
  ],
  providers: [
    AccountLogins,
    AccountTests,
    Attempts,
    Confirmation,
    ConversationReads,
    Dlp,
    DomainProof,
    DraftMessages,
    DueDrafts,
    JudgingThread,
    LargeFiles,
    LoginTries,
    MailboxOwner,
    MailboxSecrets,
    MailServerTargets,
    MailSettings,
    MessageComposer,
    MessageImporter,
    OAuthGrants,
    OAuthProviders,
    OAuthTokens,
    { provide: OutgoingLogins, useExisting: AccountLogins },
    OldConversations,
    Preparation,
    ReceiptCache,
    RemoteImages,
    SandboxReports,
    Sender,
    SendPermissions,
    Transport,
    UnknownSends,
  ],
})
export class MailModule {
  static from(
    parser: MessageParser,
    metrics: MailMetrics,
    inbound: InboundThread,
    { bus, callerKey }: Pick<Resources, 'bus' | 'callerKey'>,
  ): DynamicModule {
    const providers = [
      { provide: OperationClient, useValue: new OperationClient(bus, { mail: callerKey }) },
      { provide: MessageParser, useValue: parser },
      { provide: MailMetrics, useValue: metrics },
      { provide: InboundThread, useValue: inbound },
    ];
    return { module: MailModule, providers };
  }
}
