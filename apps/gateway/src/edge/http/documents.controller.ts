import { Controller, Get, Header } from '@nestjs/common';
import { asyncApiDocument, openApiDocument } from '@postroom/contracts';
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
