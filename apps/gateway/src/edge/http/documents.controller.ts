import { Controller, Get, Header } from '@nestjs/common';
import { asyncApiDocument, openApiDocument, settingsDocument } from '@postroom/contracts';
import { Receipts } from '../../access/index.js';

/** The published machine description; needs no key. */
@Controller('public')
export class DocumentsController {
  // Bytes, which all readers share: a text would be encoded anew for each of them.
  private readonly openApi = Buffer.from(JSON.stringify(openApiDocument()));
  private readonly asyncApi = Buffer.from(JSON.stringify(asyncApiDocument()));

  constructor(private readonly receipts: Receipts) {}

  @Get('openapi.json')
  @Header('content-type', 'application/json; charset=utf-8')
  openApiJson(): Buffer {
    return this.openApi;
  }

  @Get('asyncapi.json')
  @Header('content-type', 'application/json; charset=utf-8')
  asyncApiJson(): Buffer {
    return this.asyncApi;
  }

  /** The keys that receipts of approvals are verified with. */
  @Get('.well-known/jwks.json')
  @Header('content-type', 'application/json; charset=utf-8')
  async keySet(): Promise<string> {
    return JSON.stringify(await this.receipts.keySet());
  }
}

/** The address of the settings API's description: beside its mount point, below which all needs a session. */
export const settingsDocumentPath = '/settings/openapi.json';

/** The description of the settings API; needs no session. */
@Controller(settingsDocumentPath)
export class SettingsDocumentController {
  /** Made at the first request: few ask, and it takes a tenth of a second. */
  private document: Buffer | undefined;

  @Get()
  @Header('content-type', 'application/json; charset=utf-8')
  openApiJson(): Buffer {
    this.document ??= Buffer.from(JSON.stringify(settingsDocument()));
    return this.document;
  }
}
