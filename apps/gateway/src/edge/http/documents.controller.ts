import { Controller, Get, Header } from '@nestjs/common';
import { asyncApiDocument, openApiDocument } from '@postroom/contracts';
import { Receipts } from '../../access/index.js';

/** The published machine description; needs no key. */
@Controller('public')
export class DocumentsController {
  private readonly openApi = JSON.stringify(openApiDocument());
  private readonly asyncApi = JSON.stringify(asyncApiDocument());

  constructor(private readonly receipts: Receipts) {}

  @Get('openapi.json')
  @Header('content-type', 'application/json; charset=utf-8')
  openApiJson(): string {
    return this.openApi;
  }

  @Get('asyncapi.json')
  @Header('content-type', 'application/json; charset=utf-8')
  asyncApiJson(): string {
    return this.asyncApi;
  }

  /** The keys that receipts of approvals are verified with. */
  @Get('.well-known/jwks.json')
  @Header('content-type', 'application/json; charset=utf-8')
  async keySet(): Promise<string> {
    return JSON.stringify(await this.receipts.keySet());
  }
}
