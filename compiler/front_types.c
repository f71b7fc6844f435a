#include "compiler/front_types.h"

unsigned front_space(CXType type)
{
	return type.kind == CXType_Invalid ? 0 : clang_getAddressSpace(type);
}

CXType front_pointee(CXType type)
{
	CXType element = clang_getArrayElementType(type);
	if (element.kind != CXType_Invalid)
		return element;
	CXType canonical = clang_getCanonicalType(type);
	return canonical.kind == CXType_Pointer ? clang_getPointeeType(canonical)
						: clang_getArrayElementType(canonical);
}

/*
 * What carries the qualifiers of what a pointer or array parameter leads to: a canonical array has
 * them itself.
 */
static CXType qualified_pointee(CXType type)
{
	type = clang_getCanonicalType(type);
	return type.kind == CXType_Pointer ? clang_getCanonicalType(clang_getPointeeType(type))
					   : type;
}

bool front_pointee_is_const(CXType type)
{
	return front_is_const(qualified_pointee(type));
}

unsigned front_pointee_space(CXType type)
{
	return front_space(qualified_pointee(type));
}

static bool is_pointer(CXType type)
{
	return clang_getCanonicalType(type).kind == CXType_Pointer;
}

bool front_is_far_pointer(CXType type)
{
	return is_pointer(type) && front_pointee_space(type) == FAR_SPACE;
}

bool front_is_private_pointer(CXType type)
{
	return is_pointer(type) && front_pointee_space(type) == 0;
}

static enum CXVisitorResult find_private_pointer(CXCursor field, CXClientData data)
{
	if (!front_holds_private_pointer(clang_getCursorType(field)))
		return CXVisit_Continue;
	*(bool *)data = true;
	return CXVisit_Break;
}

bool front_holds_private_pointer(CXType type)
{
	type = clang_getCanonicalType(type);
	bool found = false;
	switch (type.kind) {
	case CXType_Pointer:
		return front_is_private_pointer(type);
	case CXType_Record:
		clang_Type_visitFields(type, find_private_pointer, &found);
		return found;
	case CXType_Atomic:
		return front_holds_private_pointer(clang_Type_getValueType(type));
	case CXType_ConstantArray:
	case CXType_IncompleteArray:
	case CXType_VariableArray:
		return front_holds_private_pointer(clang_getArrayElementType(type));
	default:
		return false;
	}
}

/* What an enum is stored as. */
static CXType integer_behind(CXType type)
{
	type = clang_getCanonicalType(type);
	if (type.kind != CXType_Enum)
		return type;
	return clang_getCanonicalType(clang_getEnumDeclIntegerType(clang_getTypeDeclaration(type)));
}

bool front_is_integer(CXType type)
{
	enum CXTypeKind kind = integer_behind(type).kind;
	return kind >= CXType_Bool && kind <= CXType_LongLong && kind != CXType_UInt128;
}

bool front_is_signed(CXType type)
{
	enum CXTypeKind kind = integer_behind(type).kind;
	return kind >= CXType_Char_S && kind <= CXType_LongLong;
}

bool front_is_record(CXType type)
{
	return clang_getCanonicalType(type).kind == CXType_Record;
}

bool front_is_function(CXType type)
{
	type = clang_getCanonicalType(type);
	return type.kind == CXType_FunctionProto || type.kind == CXType_FunctionNoProto;
}

bool front_is_const(CXType type)
{
	return clang_isConstQualifiedType(clang_getCanonicalType(type));
}
