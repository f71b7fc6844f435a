static int NAME(TYPE *items)
{
	return items[0];
}
