import type { Provider, Type } from '@nestjs/common';
import { mountedOperations } from '@postroom/contracts';
import { Pieces } from '@postroom/limits';
import type { Resources } from '@postroom/operations';
import type { GatewayConfig } from '../config.js';
import { limits } from '../limits.js';
import { StreamedBodies } from './bodies/streamed-bodies.js';
import { consoleControllers } from './console/console.controllers.js';
import { AnonymousBodies } from './http/anonymous-bodies.js';
import { ApiKeyStrategy } from './http/guards.js';
import { CalendarFeedsController, FeedLookups } from './http/calendar-feeds.controller.js';
import { DocumentsController, SettingsDocumentController } from './http/documents.controller.js';
import { Inputs } from './http/inputs.js';
import { LargeAnswers } from './http/large-answers.js';
import {
  InvitationStrategy,
  PasskeyStrategy,
  PasswordResetStrategy,
  SessionStrategy,
  SignInStrategy,
} from './http/member-strategies.js';
import { MailboxConsentsController } from './http/mailbox-consents.controller.js';
import { OidcController } from './http/oidc.controller.js';
import { OidcRequests } from './http/oidc-requests.js';
import { OperationEndpoint } from './http/operation-endpoint.js';
import { controllersOf } from './http/operations.controllers.js';
import { PasskeyOptionsController } from './http/passkey-options.controller.js';
import { ProbesController } from './http/probes.controller.js';
import {
  UnknownPublicRouteController,
  UnknownSettingsRouteController,
} from './http/unknown-routes.controllers.js';
import { FileUploads } from './bodies/file-uploads.js';
import { EntryImports } from './imports/entry-imports.js';
import { ConsentController } from './oauth/consent.controller.js';
import { OAuthController, OAuthMetadataController } from './oauth/oauth.controllers.js';
import { pageControllers, Pages } from './pages/pages.controllers.js';
import { portalControllers } from './portal/portal.controllers.js';
import { ProviderOffer } from './pages/provider-offer.js';
import { MailImports } from './imports/mail-imports.js';
import { EventStreams } from './stream/event-streams.js';
import { StreamController, Streams } from './stream/stream.controller.js';

export const edgeControllers: Type[] = [
  ...controllersOf(mountedOperations),
  DocumentsController,
  SettingsDocumentController,
  ProbesController,
  StreamController,
  CalendarFeedsController,
  ...pageControllers,
  ...consoleControllers,
  ...portalControllers,
  MailboxConsentsController,
  ConsentController,
  OAuthController,
  OAuthMetadataController,
  OidcController,
  PasskeyOptionsController,
  // Last: their wildcards take what no other route took.
  UnknownPublicRouteController,
  UnknownSettingsRouteController,
];

export const edgeProviders = ({ blobs, log }: Resources<GatewayConfig>): Provider[] => [
  AnonymousBodies,
  ApiKeyStrategy,
  EntryImports,
  EventStreams,
  FileUploads,
  FeedLookups,
  Inputs,
  InvitationStrategy,
  MailImports,
  OidcRequests,
  OperationEndpoint,
  Pages,
  PasskeyStrategy,
  PasswordResetStrategy,
  ProviderOffer,
  SessionStrategy,
  SignInStrategy,
  Streams,
  {
    provide: LargeAnswers,
    useFactory: (pieces: Pieces) => new LargeAnswers(blobs, log, pieces),
    inject: [Pieces],
  },
  { provide: Pieces, useValue: new Pieces(limits.pieces) },
  {
    provide: StreamedBodies,
    useFactory: (pieces: Pieces) => new StreamedBodies(blobs, log, pieces),
    inject: [Pieces],
  },
];
